#pragma once
/// @file
/// What is known of the content of files from an earlier start: hashes, kept beside sizes, inodes
/// and times, so that a job need not read what it does not use. A file whose size, inode or times
/// have changed is read again; one that was changed while or shortly before it was read is never
/// remembered, since the next change might fall into the same tick of its clock.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ventral::pipeline {

/// A text that follows from the content of files.
struct FromContent {
    std::string text;
    /// `state_of` the files, if they were read now and nobody changed them meanwhile; else empty.
    std::string state = {};
};

/// What changes when files change: sizes, inodes and times, the same on every node that mounts
/// them. Empty if one of them cannot be looked at.
std::string state_of(const std::vector<std::string>& files);

class HashCache {
public:
    enum class Trust { yes, no };
    using Clock = std::function<std::chrono::system_clock::time_point()>;

    /// Nothing is remembered.
    HashCache() = default;
    /// Kept at `path`; what is there and damaged, or of another kind, counts as absent. Without
    /// `trust` everything is read anew, and then kept.
    HashCache(std::string path, Trust trust, Clock now = std::chrono::system_clock::now);

    /// `compute()`, whose result follows from `what` (which names the way, and its version) and
    /// from the content of `files`. Throws what it throws.
    FromContent of(const std::string& what, const std::vector<std::string>& files,
                   const std::function<std::string()>& compute);

    /// Whether `of` would not compute it now.
    bool has(const std::string& what, const std::vector<std::string>& files) const;

    /// To disk, if there is something new, with what others have added meanwhile. That it cannot be
    /// written is only logged; a folder that does not exist is not made.
    void save();

private:
    struct Entry {
        std::string state;  ///< of the files
        std::string text;
    };
    using Entries = std::map<std::string, Entry>;

    static Entries read(const std::string& path);

    std::string path_;
    Trust trust_ = Trust::no;
    Clock now_;
    Entries entries_;
    Entries added_;
};

/// OUT/hashes.json.
std::string hashes_path(const std::string& out);

}  // namespace ventral::pipeline
