#include "io/disk/direct_reads.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ventral::io {
namespace {

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
    : cached_(path, O_RDONLY), direct_(path, O_RDONLY | O_DIRECT) {
    struct stat status {};
    if (!cached_ || fstat(cached_.id(), &status) != 0) {
        direct_.reset();
        return;
    }
    size_ = static_cast<std::size_t>(status.st_size);
    void* mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, cached_.id(), 0);
    if (mapped != MAP_FAILED) mapped_ = static_cast<std::byte*>(mapped);
}

DirectReads::~DirectReads() {
    if (mapped_) munmap(mapped_, size_);
}

/// The page at `place`, which stands for those that follow.
bool DirectReads::is_in_cache(std::uint64_t place) const {
    unsigned char is_there = 0;
    return mapped_ && place < size_ && mincore(mapped_ + place, 1, &is_there) == 0 && is_there & 1;
}

bool DirectReads::read(std::span<const WantedBytes> reads) {
    while (!reads.empty()) {
        const auto some = reads.first(std::min(reads.size(), ReadQueue::most_reads));
        if (!are_possible() || !read_some(some)) return false;
        reads = reads.subspan(some.size());
    }
    return true;
}

bool DirectReads::read_some(std::span<const WantedBytes> reads) {
    std::vector<WantedBytes> of_disk;
    for (const auto& wanted : reads) {
        if (is_in_cache(wanted.place))
            read_whole(cached_, wanted);
        else
            of_disk.push_back(wanted);
    }
    const auto counts = queue_.read(direct_.id(), of_disk);
    for (std::size_t i = 0; i < of_disk.size(); ++i) {
        if (counts[i] < 0) {
            direct_.reset();
            return false;
        }
        const auto done = static_cast<std::size_t>(counts[i]);
        const WantedBytes left{of_disk[i].place + done, after(of_disk[i].parts, done)};
        if (!read_whole(direct_, left)) return false;
    }
    return true;
}

bool DirectReads::read_whole(const Descriptor& file, WantedBytes wanted) {
    while (!wanted.parts.empty()) {
        const auto count =
            preadv(file.id(), wanted.parts.data(), static_cast<int>(wanted.parts.size()),
                   static_cast<off_t>(wanted.place));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && &file == &direct_) {
            direct_.reset();
            return false;
        }
        if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category());
        wanted.place += static_cast<std::uint64_t>(count);
        wanted.parts = after(wanted.parts, static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace ventral::io
