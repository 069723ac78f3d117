#include "io/journal/journal.hpp"

#include <bit>
#include <cassert>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "io/disk/descriptor.hpp"
#include "io/disk/durable_file.hpp"
#include "io/disk/writer_suffix.hpp"

namespace ventral::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they are in memory");

constexpr std::size_t group_bytes = std::size_t{1} << 20;
constexpr std::chrono::seconds group_time{1};

std::string file_name(std::string job_name) {
    for (auto& character : job_name) {
        const auto byte = static_cast<unsigned char>(character);
        if (!std::isalnum(byte) && character != '-' && character != '_') character = '_';
    }
    return job_name.empty() ? "job" : job_name;
}

std::string crc_text(std::uint32_t crc) {
    char digits[9] = "00000000";
    char text[9];
    const auto end = std::to_chars(text, text + 8, crc, 16).ptr;
    const auto length = static_cast<std::size_t>(end - text);
    std::memcpy(digits + 8 - length, text, length);
    return digits;
}

}  // namespace

/// A file that grows by what is buffered, each time to the end of what is on disk already: a write
/// that failed is overwritten by the next attempt.
class JournalSegment::File {
public:
    explicit File(std::string path) : path_(std::move(path)) {}

    std::string name() const { return std::filesystem::path(path_).filename().string(); }
    std::uint64_t size() const { return on_disk_ + buffer_.size(); }
    std::size_t unflushed() const { return buffer_.size(); }
    void append(std::string_view bytes) { buffer_ += bytes; }

    void flush() {
        if (buffer_.empty()) return require_in_place();
        if (!file_) create();
        const auto place = static_cast<std::int64_t>(on_disk_);
        if (const int error = write_at(file_.id(), place, std::as_bytes(std::span(buffer_))))
            fail(error);
        if (fdatasync(file_.id()) != 0) fail(errno);
        require_in_place();
        on_disk_ += buffer_.size();
        buffer_.clear();
    }

private:
    void create() {
        const auto folder = std::filesystem::path(path_).parent_path();
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error) fail(error.value());
        file_ = Descriptor(path_, O_WRONLY | O_CREAT | O_EXCL);
        if (!file_) fail(errno);
        try {
            sync_folder(folder.string());
        } catch (const core::InputError& folder_error) {
            unlink(path_.c_str());  // for another try, which has to make it anew
            file_ = {};
            throw JournalError(folder_error.what());
        }
    }

    void require_in_place() const {
        if (!file_ || is_in_place()) return;
        throw JournalError(path_ + ": the journal is gone (its folder was removed, moved or " +
                           "replaced while it was written) run the same command again");
    }

    /// Whether who opens the path finds this file.
    bool is_in_place() const {
        struct stat own {};
        struct stat found {};
        if (fstat(file_.id(), &own) != 0) fail(errno);
        if (stat(path_.c_str(), &found) != 0) return errno != ENOENT && errno != ENOTDIR;
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev;
    }

    [[noreturn]] void fail(int error) const {
        throw JournalError(path_ + ": the journal cannot be written (" + std::strerror(error) +
                           ")");
    }

    std::string path_;
    std::string buffer_;
    std::uint64_t on_disk_ = 0;
    Descriptor file_;
};

JournalSegment::JournalSegment(const std::string& folder, const std::string& job_name)
    : stem_(
          (std::filesystem::path(folder) / (file_name(job_name) + "." + unique_suffix())).string()),
      lines_(std::make_unique<File>(stem_ + ".journal")),
      arrays_(std::make_unique<File>(stem_ + ".raw")) {}

JournalSegment::~JournalSegment() = default;

core::ArrayPlace JournalSegment::append_array(std::span<const double> values) {
    const auto bytes = std::as_bytes(values);
    core::ArrayPlace place{arrays_->name(), arrays_->size(), values.size(), core::crc32c(bytes)};
    arrays_->append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return place;
}

void JournalSegment::append(std::string_view json) {
    assert(json.find('\n') == std::string_view::npos);
    lines_->append(std::to_string(json.size()) + ' ' + crc_text(core::crc32c(json)) + ' ');
    lines_->append(json);
    lines_->append("\n");
}

void JournalSegment::flush() {
    arrays_->flush();
    lines_->flush();
    last_flush_ = Clock::now();
}

bool JournalSegment::due(Clock::time_point now) const {
    const auto unflushed = lines_->unflushed() + arrays_->unflushed();
    return unflushed >= group_bytes || (unflushed > 0 && now - last_flush_ >= group_time);
}

}  // namespace ventral::io
