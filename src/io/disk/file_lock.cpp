#include "io/disk/file_lock.hpp"

#include <cerrno>

#include <sys/file.h>

namespace ventral::io {
namespace {

LockAnswer ask_for_lock(const Descriptor& file, LockKind kind, int how) {
    const int operation = (kind == LockKind::shared ? LOCK_SH : LOCK_EX) | how;
    int result = 0;
    do result = flock(file.id(), operation);
    while (result != 0 && errno == EINTR);
    if (result == 0) return LockAnswer::held;
    return errno == EWOULDBLOCK ? LockAnswer::taken_by_another : LockAnswer::no_locks;
}

}  // namespace

LockAnswer try_lock(const Descriptor& file, LockKind kind) {
    return ask_for_lock(file, kind, LOCK_NB);
}

LockAnswer wait_for_lock(const Descriptor& file, LockKind kind) {
    return ask_for_lock(file, kind, 0);
}

}  // namespace ventral::io
