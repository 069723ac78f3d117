#pragma once
/// @file
/// Files of activations, and of projections of them, that several runs and shards share: which are
/// in use, and which go first when they are to take no more than some bytes.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "io/disk/descriptor.hpp"

namespace ventral::pipeline {

/// The files that a unit works with. None of them is removed meanwhile by `keep_within_budget` or
/// `remove_unless_in_use`, here or in another process (where the file system has locks), and each
/// is the most recently used one from `add` on.
class ActivationsInUse {
public:
    /// False if there is no such file (any more).
    bool add(const std::string& path);
    /// Whether the file that was added is still the one of that name.
    bool is_there(const std::string& path) const;
    void release(const std::string& path);
    void release();
    /// Of all of them.
    std::uint64_t bytes() const;

private:
    std::map<std::string, io::Descriptor> files_;
};

enum class Removal { done, in_use, no_locks, failed };

/// Removes the file at once unless another holds its lock, or the file system has no locks.
Removal remove_unless_in_use(const std::string& path);

/// Bytes of the activations (.h5) and projections (.nc) in the folder.
std::uint64_t activations_bytes(const std::string& folder);

/// Removes activations and projections of the folder that are not in use, the least
/// recently used first, until all of them take at most `budget` bytes or none is left to remove. A
/// failed removal is none. Returns what they take then.
std::uint64_t keep_within_budget(const std::string& folder, std::uint64_t budget);

/// Keeps a folder within its budget at the cost of few looks at it: one when this process may have
/// added its share of what was free at the last one. Half of that is shared by all that add to it.
class ActivationsBudget {
public:
    ActivationsBudget(std::string folder, std::uint64_t bytes, std::size_t writers);

    /// Files of so many bytes may be new.
    void have_used(std::uint64_t bytes);

private:
    std::string folder_;
    std::uint64_t budget_;
    std::size_t writers_;
    std::uint64_t share_ = 0;  ///< that may still be added before the next look
};

}  // namespace ventral::pipeline
