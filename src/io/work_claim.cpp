#include "io/work_claim.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fcntl.h>

namespace ventral::io {
namespace {

/// A place in the file, of as many digits as an offset holds; keys that begin alike share it.
off_t place_of(const std::string& key) {
    constexpr std::size_t digits = 15;
    std::uint64_t place = 0;
    const auto part = key.substr(0, digits);
    std::from_chars(part.data(), part.data() + part.size(), place, 16);
    return static_cast<off_t>(place);
}

/// The lock of `length` bytes from `start` on, 0: of all.
struct flock lock_of(off_t start, off_t length) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}

int control(const Descriptor& file, int command, struct flock& lock) {
    int result = 0;
    do {
        result = fcntl(file.id(), command, &lock);
    } while (result != 0 && errno == EINTR);
    return result;
}

}  // namespace

std::optional<WorkClaim> claim_work(const std::string& path, const std::string& key) {
    Descriptor file(path, O_RDWR | O_CREAT);
    if (!file) return WorkClaim();
    auto byte = lock_of(place_of(key), 1);
    if (control(file, F_OFD_SETLK, byte) != 0 && (errno == EAGAIN || errno == EACCES))
        return std::nullopt;
    return WorkClaim(std::move(file));
}

bool is_any_work_claimed(const std::string& path) {
    const Descriptor file(path, O_RDWR);
    if (!file) return false;
    auto all = lock_of(0, 0);
    return control(file, F_OFD_GETLK, all) == 0 && all.l_type != F_UNLCK;
}

}  // namespace ventral::io
