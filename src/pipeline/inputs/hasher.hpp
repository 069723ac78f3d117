#pragma once
/// @file
/// Hashes and checksums of input files, each file read once.

#include <map>
#include <string>

#include "pipeline/inputs/hash_cache.hpp"

namespace ventral::pipeline {

/// What files held when they were hashed, now or by an earlier start.
struct KnownContent {
    std::string hash;
    std::string state;  ///< `state_of` the files; empty: they were not read now

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& hash& state;
    }
};

/// Hashes files, unless they are known.
class Hasher {
public:
    Hasher(HashCache& known, std::map<std::string, KnownContent>& files)
        : known_(known), files_(files) {}

    /// Of a file that two records name once only: it could change in between.
    std::string sha256(const std::string& path);
    std::string sha1(const std::string& path);
    HashCache& known() { return known_; }

private:
    HashCache& known_;
    std::map<std::string, KnownContent>& files_;
};

/// Throws `core::InputError` if a file has another checksum, of `kind` "sha1" or "sha256", than is
/// stated. If none is, the log says what it is.
void compare_checksum(const std::string& path, const char* kind, const std::string& stated,
                      const std::string& actual);

}  // namespace ventral::pipeline
