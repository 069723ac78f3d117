#pragma once
/// @file
/// Reads and writes that the kernel does while the caller goes on (io_submit(2)).

#include <cstddef>
#include <optional>
#include <span>

#include <linux/aio_abi.h>

namespace ventral::io {

/// Used by one thread at a time, and given up with nothing under way.
class KernelIo {
public:
    /// The kernel has 65,536 for all processes of a machine, if nobody has asked for more.
    static constexpr std::size_t most_at_once = 64;

    KernelIo() = default;
    ~KernelIo();
    KernelIo(const KernelIo&) = delete;
    KernelIo& operator=(const KernelIo&) = delete;

    /// Returns how many the kernel has taken, from the first on; those it has not it never will.
    std::size_t submit(std::span<iocb* const> blocks) noexcept;

    /// Waits until `least` have ended. Returns how many of `events` are filled, or nothing if the
    /// kernel tells nothing of them: then all that were under way have ended somehow.
    std::optional<std::size_t> ended(std::size_t least, std::span<io_event> events) noexcept;

private:
    bool is_set_up() noexcept;

    bool is_refused_ = false;
    aio_context_t context_ = 0;  ///< 0: none yet, or the kernel has none for us
};

}  // namespace ventral::io
