#include "io/disk/durable_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "core/folder_of.hpp"
#include "io/disk/descriptor.hpp"
#include "io/disk/writer_suffix.hpp"

namespace ventral::io {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& doing) {
    throw core::OutputError(path + ": cannot " + doing + " (" + std::strerror(errno) + ")");
}

Descriptor opened(const std::string& path, int flags) {
    Descriptor file(path, flags);
    if (!file) fail(path, "open it");
    return file;
}

}  // namespace

void sync_file(const std::string& path) {
    const auto file = opened(path, O_RDONLY);
    if (fsync(file.id()) != 0) fail(path, "bring it to disk");
}

TemporaryName::TemporaryName(std::string path)
    : final_(std::move(path)), temporary_(final_ + "." + writer_suffix() + ".tmp") {
    std::error_code unknown;  // then writing says why
    const auto folder = std::filesystem::status(core::folder_of(final_), unknown);
    if (std::filesystem::status_known(folder) && !std::filesystem::is_directory(folder)) {
        throw core::OutputError(final_ + ": cannot be written (its folder does not exist)");
    }
    const auto file = std::filesystem::status(final_, unknown);
    if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file)) {
        throw core::OutputError(final_ +
                                ": cannot be written (it is there and is no regular file) move it "
                                "away");
    }
}

TemporaryName::~TemporaryName() {
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void TemporaryName::remove_apart() {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    // Who waits for all that this process says must not wait for the other.
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, output);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    std::string name = "rm", force = "-f", end_of_options = "--";
    char* const words[] = {name.data(), force.data(), end_of_options.data(), temporary_.data(),
                           nullptr};
    pid_t process = 0;
    const int failed = posix_spawnp(&process, name.c_str(), &files, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed == 0) temporary_.clear();
}

void TemporaryName::commit() {
    sync_file(temporary_);
    if (rename(temporary_.c_str(), final_.c_str()) != 0) fail(final_, "rename the finished file");
    temporary_.clear();
    sync_folder(core::folder_of(final_).string());
}

void write_file_durably(const std::string& path, std::string_view bytes) {
    TemporaryName name(path);
    auto file = opened(name.path(), O_WRONLY | O_CREAT | O_EXCL);
    try {
        write_all(file.id(), bytes);
    } catch (const std::system_error& error) {
        throw core::OutputError(path + ": cannot be written (" + error.code().message() + ")");
    }
    if (!file.reset()) fail(path, "finish writing");
    name.commit();
}

void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw std::system_error(errno, std::generic_category());
        // Nothing written and no reason given: a full disk, by the habit of some file systems.
        if (written == 0) throw std::system_error(ENOSPC, std::generic_category());
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

int write_at(int descriptor, std::int64_t place, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const auto count = pwrite(descriptor, bytes.data(), bytes.size(), place);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count == 0 ? ENOSPC : errno;
        place += count;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return 0;
}

void sync_folder(const std::string& folder) {
    const auto entries = opened(folder, O_RDONLY | O_DIRECTORY);
    // Some network file systems cannot sync a folder and say so with EINVAL: nothing more to do.
    if (fsync(entries.id()) != 0 && errno != EINVAL) fail(folder, "bring the folder to disk");
}

}  // namespace ventral::io
