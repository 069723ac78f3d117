#include "io/work_claim.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

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

}  // namespace

WorkClaim::~WorkClaim() {
    if (descriptor_ >= 0) close(descriptor_);
}

WorkClaim::WorkClaim(WorkClaim&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

WorkClaim& WorkClaim::operator=(WorkClaim&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

std::optional<WorkClaim> claim_work(const std::string& path, const std::string& key) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return WorkClaim();
    WorkClaim claim(descriptor);
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = place_of(key);
    byte.l_len = 1;
    int result = 0;
    do {
        result = fcntl(descriptor, F_OFD_SETLK, &byte);
    } while (result != 0 && errno == EINTR);
    if (result != 0 && (errno == EAGAIN || errno == EACCES)) return std::nullopt;
    return claim;
}

}  // namespace ventral::io
