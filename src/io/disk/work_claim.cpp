#include "io/disk/work_claim.hpp"

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

struct flock lock_of(const std::string& key, short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = place_of(key);
    lock.l_len = 1;
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
    auto byte = lock_of(key, F_WRLCK);
    if (control(file, F_OFD_SETLK, byte) != 0 && (errno == EAGAIN || errno == EACCES))
        return std::nullopt;
    return WorkClaim(std::move(file));
}

WorkClaim share_work(const std::string& path, const std::string& key) {
    Descriptor file(path, O_RDWR | O_CREAT);
    auto byte = lock_of(key, F_RDLCK);
    if (file) control(file, F_OFD_SETLK, byte);
    return WorkClaim(std::move(file));
}

bool is_at_work(const std::string& path, const std::string& key) {
    const Descriptor file(path, O_RDWR);
    if (!file) return false;
    auto byte = lock_of(key, F_WRLCK);
    return control(file, F_OFD_GETLK, byte) == 0 && byte.l_type != F_UNLCK;
}

}  // namespace ventral::io
