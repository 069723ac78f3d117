#pragma once
/// @file
/// Locks of whole files (flock), held until the descriptor is closed, or its process ends.

#include "io/disk/descriptor.hpp"

namespace ventral::io {

enum class LockKind { shared, exclusive };

enum class LockAnswer {
    held,
    taken_by_another,
    no_locks  ///< the file system has none, or wants a descriptor of another mode
};

/// Asks for the lock, and does not wait for it.
LockAnswer try_lock(const Descriptor& file, LockKind kind);

/// Waits for it.
LockAnswer wait_for_lock(const Descriptor& file, LockKind kind);

}  // namespace ventral::io
