#pragma once
/// @file
/// Several reads of a file at once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <linux/aio_abi.h>
#include <sys/uio.h>

namespace ventral::io {

/// The bytes from `place` on, which fill `parts` one after the other.
struct WantedBytes {
    std::uint64_t place = 0;
    std::span<iovec> parts;
};

/// Gives the disk all reads before it waits for the first (io_submit(2)). Where every core is busy,
/// a thread that has waited gets a core back late: so it waits once, not once a read.
class ReadQueue {
public:
    static constexpr std::size_t most_reads = 32;

    /// One for all files: the kernel takes some hundredths of a second to end one.
    static ReadQueue& of_process();

    ReadQueue() = default;
    ~ReadQueue();
    ReadQueue(const ReadQueue&) = delete;
    ReadQueue& operator=(const ReadQueue&) = delete;

    /// What preadv(2) would return for each of at most `most_reads` reads, in their order: how many
    /// bytes, or minus the errno. Where the kernel takes none at once, one is read after the other.
    /// Any thread may call it; a second one waits.
    std::array<std::int64_t, most_reads> read(int file, std::span<const WantedBytes> reads);

private:
    std::size_t submit(std::span<iocb> reads);
    bool wait(std::size_t reads, std::span<std::int64_t> results);

    std::mutex mutex_;
    bool is_set_up_ = false;
    aio_context_t context_ = 0;  ///< 0: the kernel has none for us
};

}  // namespace ventral::io
