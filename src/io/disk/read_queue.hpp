#pragma once
/// @file
/// Several reads of a file at once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/uio.h>

#include "io/disk/kernel_io.hpp"

namespace ventral::io {

/// The bytes from `place` on, which fill `parts` one after the other.
struct WantedBytes {
    std::uint64_t place = 0;
    std::span<iovec> parts;
};

/// Gives the disk all reads before it waits for the first. Where every core is busy, a thread that
/// has waited gets a core back late: so it waits once, not once a read. By one thread at a time.
class ReadQueue {
public:
    static constexpr std::size_t most_reads = 32;

    /// What preadv(2) would return for each of at most `most_reads` reads, in their order: how many
    /// bytes, or minus the errno. Where the kernel takes none at once, one is read after the other.
    std::array<std::int64_t, most_reads> read(int file, std::span<const WantedBytes> reads);

private:
    std::size_t submit(std::span<iocb> reads);
    bool wait(std::size_t reads, std::span<std::int64_t> results);

    KernelIo kernel_;
};

}  // namespace ventral::io
