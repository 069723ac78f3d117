#pragma once
/// @file
/// A bound on what a test may take beside what its process has already.

#include <cstddef>
#include <fstream>
#include <string>

#include <sys/resource.h>

namespace ventral::test {

/// While it lives the process can take no more than `more` bytes beside those that it has.
class MemoryLimit {
public:
    explicit MemoryLimit(std::size_t more) {
        getrlimit(RLIMIT_DATA, &before_);
        std::ifstream status("/proc/self/status");
        std::string word;
        std::size_t kibibytes = 0;
        while (status >> word)
            if (word == "VmData:") status >> kibibytes;
        const rlimit limit{1024 * kibibytes + more, before_.rlim_max};
        setrlimit(RLIMIT_DATA, &limit);
    }
    ~MemoryLimit() { setrlimit(RLIMIT_DATA, &before_); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
    rlimit before_{};
};

}  // namespace ventral::test
