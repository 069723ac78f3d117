#include "io/kernel_io.hpp"

#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

namespace ventral::io {
namespace {

/// Contexts that nobody uses, for those who need one next: the kernel takes some hundredths of a
/// second to end one.
class SpareContexts {
public:
    /// 0 if there is none.
    aio_context_t take() {
        const std::lock_guard lock(mutex_);
        return count_ > 0 ? contexts_[--count_] : 0;
    }
    bool keep(aio_context_t context) {
        const std::lock_guard lock(mutex_);
        if (count_ == contexts_.size()) return false;
        contexts_[count_++] = context;
        return true;
    }

private:
    std::mutex mutex_;
    std::array<aio_context_t, 4> contexts_{};
    std::size_t count_ = 0;
};

SpareContexts& spare_contexts() {
    static SpareContexts spare;
    return spare;
}

}  // namespace

KernelIo::~KernelIo() {
    if (context_ != 0 && !spare_contexts().keep(context_)) syscall(SYS_io_destroy, context_);
}

bool KernelIo::is_set_up() noexcept {
    if (context_ == 0 && !is_refused_) context_ = spare_contexts().take();
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
