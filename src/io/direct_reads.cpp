#include "io/direct_reads.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ventral::io {
namespace {

std::size_t bytes_of(std::span<const iovec> parts) {
    std::size_t bytes = 0;
    for (const auto& part : parts) bytes += part.iov_len;
    return bytes;
}

/// What is left of the parts when the first `bytes` have been filled.
std::span<iovec> after(std::span<iovec> parts, std::size_t bytes) {
    while (!parts.empty() && bytes >= parts.front().iov_len) {
        bytes -= parts.front().iov_len;
        parts = parts.subspan(1);
    }
    if (bytes > 0) {
        parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + bytes;
        parts.front().iov_len -= bytes;
    }
    return parts;
}

}  // namespace

DirectReads::DirectReads(const std::string& path)
    : cached_(open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      direct_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)) {
    struct stat status {};
    if (cached_ < 0 || fstat(cached_, &status) != 0) {
        close_direct();
        return;
    }
    size_ = static_cast<std::size_t>(status.st_size);
    void* mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, cached_, 0);
    if (mapped != MAP_FAILED) mapped_ = static_cast<std::byte*>(mapped);
}

DirectReads::~DirectReads() {
    if (mapped_) munmap(mapped_, size_);
    close_direct();
    if (cached_ >= 0) close(cached_);
}

void DirectReads::close_direct() {
    if (direct_ >= 0) close(direct_);
    direct_ = -1;
}

/// The page at `place`, which stands for those that follow.
bool DirectReads::is_in_cache(std::uint64_t place) const {
    unsigned char is_there = 0;
    return mapped_ && place < size_ && mincore(mapped_ + place, 1, &is_there) == 0 && is_there & 1;
}

bool DirectReads::read(std::uint64_t place, std::span<iovec> parts) {
    if (!are_possible()) return false;
    const int file = is_in_cache(place) ? cached_ : direct_;
    for (std::size_t left = bytes_of(parts); left > 0;) {
        const auto count =
            preadv(file, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(place));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && file == direct_) {
            close_direct();
            return false;
        }
        if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category());
        const auto bytes = static_cast<std::size_t>(count);
        parts = after(parts, bytes);
        place += bytes;
        left -= bytes;
    }
    return true;
}

}  // namespace ventral::io
