#pragma once
/// @file
/// What one of several processes that share a folder works on, so that no other does the same.

#include <optional>
#include <string>
#include <utility>

#include "io/disk/descriptor.hpp"

namespace ventral::io {

/// Held as long as it lives, and no longer than its process.
class WorkClaim {
public:
    explicit WorkClaim(Descriptor file = {}) : file_(std::move(file)) {}

private:
    Descriptor file_;
};

/// Claims the work of a key (hexadecimal) by the lock of one byte of the file `path`, which is made
/// if it is not there; nothing if another claim holds it, of this process or any other. Where the
/// file system has no locks, or cannot write, every claim succeeds: claims spare work, and nothing
/// else may depend on them.
std::optional<WorkClaim> claim_work(const std::string& path, const std::string& key);

/// Says likewise that this process is at work on something that many may be at at once; nothing is
/// claimed.
WorkClaim share_work(const std::string& path, const std::string& key);

/// Whether anybody is at the work of a key, as far as can be told.
bool is_at_work(const std::string& path, const std::string& key);

}  // namespace ventral::io
