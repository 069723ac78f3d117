#pragma once
/// @file
/// Brings a large file to disk beside those who write it, so that the sync in the end is short.

#include <cstddef>
#include <future>

namespace ventral::io {

/// Of what one thread writes to a file. Of a disk with a cache, as of a virtual machine, the bytes
/// that it has accepted may all still have to be written when it is asked for them in the end.
class SyncAhead {
public:
    static constexpr std::size_t step_bytes = std::size_t{256} << 20;

    /// `descriptor` is open, and stays so.
    explicit SyncAhead(int descriptor) : descriptor_(descriptor) {}
    ~SyncAhead() { close(); }
    SyncAhead(const SyncAhead&) = delete;
    SyncAhead& operator=(const SyncAhead&) = delete;

    /// So many bytes more have been written. After `step_bytes` a sync begins on a thread of its
    /// own, unless one is under way. Returns the errno of one that has failed since, else 0: the
    /// kernel tells it once.
    int written(std::size_t bytes) noexcept;
    /// Waits for the sync that is under way. Returns what `written` does.
    int close() noexcept;

private:
    int descriptor_;
    std::size_t bytes_ = 0;
    std::future<int> under_way_;
};

}  // namespace ventral::io
