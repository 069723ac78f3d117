#pragma once
/// @file
/// Reads of a large file past the page cache: what is read once needs no pages there, which cost
/// more than the reading. What the cache holds already is taken from it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/disk/descriptor.hpp"
#include "io/disk/read_queue.hpp"

namespace ventral::io {

/// Addresses in the file, sizes and addresses in memory have to be multiples of this.
constexpr std::size_t direct_alignment = 4096;

/// A file open for such reads, by one thread at a time.
class DirectReads {
public:
    explicit DirectReads(const std::string& path);
    ~DirectReads();
    DirectReads(const DirectReads&) = delete;
    DirectReads& operator=(const DirectReads&) = delete;

    /// Whether the file system has such reads, as far as is known.
    bool are_possible() const { return static_cast<bool>(direct_); }

    /// Fills the parts of all `reads`. False if such a read fails: the file system may have none,
    /// and if the disk is at fault another read will tell. Throws `std::system_error`; EIO also
    /// where the file ends before the parts do.
    bool read(std::span<const WantedBytes> reads);

private:
    bool read_some(std::span<const WantedBytes> reads);
    bool read_whole(const Descriptor& file, WantedBytes wanted);
    bool is_in_cache(std::uint64_t place) const;

    ReadQueue queue_;
    Descriptor cached_;
    Descriptor direct_;
    std::byte* mapped_ = nullptr;  ///< for questions only: no byte is looked at
    std::size_t size_ = 0;
};

}  // namespace ventral::io
