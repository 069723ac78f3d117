#pragma once
/// @file
/// Memory of a Gram that no other process shares.

#include <atomic>
#include <cstddef>
#include <span>

#include "stats/gram/gram.hpp"

namespace ventral::stats {

/// Zero, as `build_gram` wants it, but not touched yet: the workers that build the Gram do so, all
/// at once, and in large pages where the system has them. To clear as many bytes beforehand would
/// take one thread as long as some tenths of the Gram.
class GramBlock {
public:
    /// Throws `std::bad_alloc` if there is no such memory.
    GramBlock(std::size_t rows, std::size_t features);
    ~GramBlock();
    GramBlock(const GramBlock&) = delete;
    GramBlock& operator=(const GramBlock&) = delete;

    const GramMemory& memory() const { return memory_; }

    /// Has the system give the memory that will be used now, so that the workers need not wait for
    /// it: for a thread that has time while they wait for features. What is in it stays; may run
    /// while the Gram is built. Ends early once `stop` is set.
    void touch(const std::atomic<bool>& stop) const;

    /// Gives the memory of the panels back when the Gram is built; what it is stays.
    void drop_scratch();

private:
    std::span<std::byte> mapped_;
    std::size_t kept_bytes_;
    std::size_t used_bytes_;  ///< from the front
    GramMemory memory_;
};

}  // namespace ventral::stats
