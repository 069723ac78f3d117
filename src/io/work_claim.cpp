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

}  // namespace

std::optional<WorkClaim> claim_work(const std::string& path, const std::string& key) {
    Descriptor file(path, O_RDWR | O_CREAT);
    if (!file) return WorkClaim();
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = place_of(key);
    byte.l_len = 1;
    int result = 0;
    do {
        result = fcntl(file.id(), F_OFD_SETLK, &byte);
    } while (result != 0 && errno == EINTR);
    if (result != 0 && (errno == EAGAIN || errno == EACCES)) return std::nullopt;
    return WorkClaim(std::move(file));
}

}  // namespace ventral::io
