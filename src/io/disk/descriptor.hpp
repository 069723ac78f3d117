#pragma once
/// @file
/// Files that are open by the calls of the system.

#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ventral::io {

/// A file descriptor, closed with it; or none.
class Descriptor {
public:
    Descriptor() = default;
    /// As `open` does it, and closed in child processes that run another program. None if it fails,
    /// `errno` then says why.
    Descriptor(const std::string& path, int flags, mode_t mode = 0666)
        : id_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }

    explicit operator bool() const { return id_ >= 0; }
    int id() const { return id_; }

    /// False if `close` fails, `errno` then says why: network file systems report a full disk only
    /// there.
    bool reset() {
        const int id = std::exchange(id_, -1);
        return id < 0 || close(id) == 0 || errno == EINTR;
    }

    /// Whether who opens `path` finds this very file.
    bool has_name(const std::string& path) const {
        struct stat own {};
        struct stat found {};
        return fstat(id_, &own) == 0 && stat(path.c_str(), &found) == 0 &&
               own.st_dev == found.st_dev && own.st_ino == found.st_ino;
    }

private:
    int id_ = -1;
};

}  // namespace ventral::io
