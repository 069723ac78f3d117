#include "io/disk/write_behind.hpp"

#include <cerrno>

#include <fcntl.h>
#include <time.h>

namespace ventral::io {
namespace {

constexpr std::size_t sample_bytes = std::size_t{16} << 20;
constexpr std::int64_t begin_bytes = std::int64_t{8} << 20;
constexpr std::int64_t most_on_its_way = std::int64_t{64} << 20;
constexpr double high_seconds_a_byte = 1.0 / (1 << 30);

/// The errno of what a disk reports; file systems that cannot begin early are no failure.
int refusal(int result) {
    if (result == 0) return 0;
    return errno == EIO || errno == ENOSPC || errno == EDQUOT ? errno : 0;
}

}  // namespace

double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void CopyCost::add(std::size_t bytes, double seconds) {
    bytes_ += bytes;
    seconds_ += seconds;
    if (bytes_ < sample_bytes) return;
    is_high_ = is_high_ || seconds_ > high_seconds_a_byte * static_cast<double>(bytes_);
    bytes_ = 0;
    seconds_ = 0;
}

void DiskWaits::waited(std::size_t bytes, std::chrono::duration<double> time) {
    bytes_ += static_cast<double>(bytes);
    seconds_ += time.count();
}

bool DiskWaits::is_slow() const { return seconds_ > 1 + high_seconds_a_byte * bytes_; }

int WriteBehind::written(std::int64_t place, std::size_t bytes, double seconds) noexcept {
    cost_.add(bytes, seconds);
    const auto size = static_cast<std::int64_t>(bytes);
    int error = 0;
    if (place == growing_.place + growing_.bytes) {
        growing_.bytes += size;
    } else {
        error = begin(growing_);
        growing_ = {place, size};
    }
    if (growing_.bytes < begin_bytes) return error;
    const int second_error = begin(growing_);
    growing_ = {place + size, 0};
    return error != 0 ? error : second_error;
}

int WriteBehind::begin(const Range& range) noexcept {
    if (range.bytes == 0) return 0;
    int error =
        refusal(sync_file_range(descriptor_, range.place, range.bytes, SYNC_FILE_RANGE_WRITE));
    on_its_way_[(first_ + count_++) % on_its_way_.size()] = range;
    bytes_on_its_way_ += range.bytes;
    while (count_ == on_its_way_.size() || bytes_on_its_way_ > most_on_its_way) {
        const auto& oldest = on_its_way_[first_];
        const int late = give_up(oldest);
        if (error == 0) error = late;
        bytes_on_its_way_ -= oldest.bytes;
        first_ = (first_ + 1) % on_its_way_.size();
        --count_;
    }
    return error;
}

int WriteBehind::give_up(const Range& range) noexcept {
    if (!cost_.is_high() || waits_.is_slow()) return 0;
    const auto start = std::chrono::steady_clock::now();
    const int error = refusal(sync_file_range(
        descriptor_, range.place, range.bytes,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
    waits_.waited(static_cast<std::size_t>(range.bytes), std::chrono::steady_clock::now() - start);
    posix_fadvise(descriptor_, range.place, range.bytes, POSIX_FADV_DONTNEED);
    return error;
}

}  // namespace ventral::io
