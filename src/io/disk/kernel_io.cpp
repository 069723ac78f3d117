#include "io/disk/kernel_io.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

namespace ventral::io {
namespace {

/// Contexts that nobody uses, for those who need one next. They belong to the process, not to the
/// files, which come and go: the kernel takes some hundredths of a second to end one. Without a
/// lock that a fork could leave closed; in a child they are unknown to the kernel, which then says
/// so.
constinit std::array<std::atomic<aio_context_t>, 2> spare_contexts{};

/// 0 if there is none.
aio_context_t take_spare_context() {
    for (auto& spare : spare_contexts)
        if (const auto context = spare.exchange(0)) return context;
    return 0;
}

bool keep_as_spare(aio_context_t context) {
    return std::any_of(spare_contexts.begin(), spare_contexts.end(), [&](auto& spare) {
        aio_context_t none = 0;
        return spare.compare_exchange_strong(none, context);
    });
}

}  // namespace

KernelIo::~KernelIo() {
    if (context_ != 0 && !keep_as_spare(context_)) syscall(SYS_io_destroy, context_);
}

bool KernelIo::is_set_up() noexcept {
    if (context_ == 0 && !is_refused_) context_ = take_spare_context();
    if (context_ == 0 && !is_refused_ && syscall(SYS_io_setup, most_at_once, &context_) != 0) {
        context_ = 0;
        is_refused_ = true;
    }
    return context_ != 0;
}

std::size_t KernelIo::submit(std::span<iocb* const> blocks) noexcept {
    std::size_t taken = 0;
    while (taken < blocks.size() && is_set_up()) {
        const auto count =
            syscall(SYS_io_submit, context_, blocks.size() - taken, blocks.data() + taken);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        taken += static_cast<std::size_t>(count);
    }
    return taken;
}

std::optional<std::size_t> KernelIo::ended(std::size_t least, std::span<io_event> events) noexcept {
    timespec no_time{};
    std::size_t filled = 0;
    do {
        const auto count =
            syscall(SYS_io_getevents, context_, least - filled, events.size() - filled,
                    events.data() + filled, least == 0 ? &no_time : nullptr);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 || (count == 0 && least > 0)) {
            syscall(SYS_io_destroy, std::exchange(context_, 0));  // returns once they have ended
            is_refused_ = true;
            return std::nullopt;
        }
        filled += static_cast<std::size_t>(count);
    } while (filled < least);
    return filled;
}

}  // namespace ventral::io
