#include "io/disk/sync_ahead.hpp"

#include <cerrno>
#include <chrono>
#include <exception>

#include <unistd.h>

namespace ventral::io {

int SyncAhead::written(std::size_t bytes) noexcept {
    bytes_ += bytes;
    if (bytes_ < step_bytes) return 0;
    const bool is_under_way = under_way_.valid() && under_way_.wait_for(std::chrono::seconds(0)) !=
                                                        std::future_status::ready;
    if (is_under_way) return 0;
    const int error = close();
    if (error != 0) return error;
    bytes_ = 0;
    try {
        under_way_ = std::async(std::launch::async,
                                [this] { return fdatasync(descriptor_) == 0 ? 0 : errno; });
    } catch (const std::exception&) {
        // No thread can be started: the sync in the end will do.
    }
    return 0;
}

int SyncAhead::close() noexcept {
    const int error = under_way_.valid() ? under_way_.get() : 0;
    // File systems without such a sync are no failure.
    return error == EINVAL || error == ENOSYS ? 0 : error;
}

}  // namespace ventral::io
