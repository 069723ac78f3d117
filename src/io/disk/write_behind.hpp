#pragma once
/// @file
/// Large files beside the page cache. New pages can be dear: a virtual machine that gives memory it
/// does not use back to its host has to ask for every page again, which takes ten times as long as
/// copying it. Where that is so, the same few pages are used for a whole file.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ventral::io {

/// Processor time of the calling thread so far, with that inside the kernel.
double thread_seconds();

/// What copying to or from the page cache costs.
class CopyCost {
public:
    /// A copy of `bytes` took `seconds` of processor time.
    void add(std::size_t bytes, double seconds);
    /// Whether some 16 MiB in a row took more than a second per GiB: no copy between pages that are
    /// there takes half of that.
    bool is_high() const { return is_high_; }

private:
    std::size_t bytes_ = 0;
    double seconds_ = 0;
    bool is_high_ = false;
};

/// How long a disk has been waited for.
class DiskWaits {
public:
    /// For `bytes` it was waited so long.
    void waited(std::size_t bytes, std::chrono::duration<double> time);
    /// More than a second, and one per GiB on top: the page cache would cost less.
    bool is_slow() const;

private:
    double bytes_ = 0;
    double seconds_ = 0;
};

/// Has the disk begin with what one thread writes to a file, long before the file is synced. Where
/// copies cost much, pages that are on the disk are given up, unless the disk is too slow to be
/// read from again.
class WriteBehind {
public:
    explicit WriteBehind(int descriptor, const CopyCost& cost = {})
        : descriptor_(descriptor), cost_(cost) {}

    /// `bytes` have been written at `place`, which took `seconds` of processor time. Returns the
    /// errno of a write that the disk has refused since, else 0.
    int written(std::int64_t place, std::size_t bytes, double seconds) noexcept;

    /// Whether writing by way of the page cache has cost much.
    bool is_dear() const { return cost_.is_high(); }

private:
    struct Range {
        std::int64_t place = 0;
        std::int64_t bytes = 0;
    };
    int begin(const Range& range) noexcept;
    int give_up(const Range& range) noexcept;

    int descriptor_;
    CopyCost cost_;
    Range growing_;                     ///< what the disk has not been told of
    std::array<Range, 64> on_its_way_;  ///< a ring
    std::size_t first_ = 0;             ///< the oldest of them
    std::size_t count_ = 0;
    std::int64_t bytes_on_its_way_ = 0;
    DiskWaits waits_;
};

}  // namespace ventral::io
