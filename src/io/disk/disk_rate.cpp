#include "io/disk/disk_rate.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/seconds_since.hpp"
#include "io/disk/descriptor.hpp"
#include "io/disk/durable_file.hpp"
#include "io/disk/writer_suffix.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t piece_bytes = 4 << 20;

/// An open file that has no name once this object is made.
class ScratchFile {
public:
    explicit ScratchFile(const std::string& folder)
        : path_(folder + "/disk-rate." + unique_suffix()),
          file_(path_, O_RDWR | O_CREAT | O_EXCL, 0600) {
        if (!file_) fail(errno);
        unlink(path_.c_str());
    }

    int descriptor() const { return file_.id(); }

    [[noreturn]] void fail(int error) const {
        throw core::OutputError(path_ + ": cannot be written and read (" +
                                std::generic_category().message(error) + ") choose another folder");
    }

private:
    std::string path_;
    Descriptor file_;
};

/// Numbers that no file system finds short.
std::string piece() {
    std::string bytes(piece_bytes, '\0');
    std::uint64_t state = 1;
    for (auto& byte : bytes) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        byte = static_cast<char>(state >> 56);
    }
    return bytes;
}

void write_content(const ScratchFile& file, std::string_view content) try {
    write_all(file.descriptor(), content);
} catch (const std::system_error& error) {
    file.fail(error.code().value());
}

void write_pieces(const ScratchFile& file, std::size_t bytes, const std::string& content) {
    for (std::size_t done = 0; done < bytes; done += piece_bytes)
        write_content(file,
                      std::string_view(content).substr(0, std::min(piece_bytes, bytes - done)));
    if (fsync(file.descriptor()) != 0) file.fail(errno);
}

void read_pieces(const ScratchFile& file, std::size_t bytes) {
    std::string buffer(piece_bytes, '\0');
    for (std::size_t done = 0; done < bytes;) {
        const auto count =
            pread(file.descriptor(), buffer.data(), buffer.size(), static_cast<off_t>(done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) file.fail(count < 0 ? errno : EIO);
        done += static_cast<std::size_t>(count);
    }
}

/// As `ActivationsWriter` does for the rows of a batch: their checksums, a copy of each piece, and
/// the writing of that into memory of the system.
void give_pieces(const ScratchFile& file, std::size_t bytes, const std::string& content) {
    constexpr std::size_t rows = 8;
    std::string copy;
    for (std::size_t done = 0; done < bytes; done += piece_bytes) {
        copy.assign(content);
        const auto crcs = core::crc32c_of_each(std::as_bytes(std::span(copy)), piece_bytes / rows);
        copy.front() = static_cast<char>(crcs.front());
        write_content(file, std::string_view(copy).substr(0, std::min(piece_bytes, bytes - done)));
    }
}

}  // namespace

DiskRate measure_disk(const std::string& folder, std::size_t bytes) {
    const auto size = static_cast<double>(bytes);
    const auto content = piece();
    DiskRate rate;
    {
        const ScratchFile file(folder);
        rate.written_bytes =
            size / core::seconds_taken([&] { write_pieces(file, bytes, content); });
        posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
        rate.read_bytes = size / core::seconds_taken([&] { read_pieces(file, bytes); });
    }
    const ScratchFile file(folder);
    rate.buffered_bytes = size / core::seconds_taken([&] { give_pieces(file, bytes, content); });
    return rate;
}

}  // namespace ventral::io
