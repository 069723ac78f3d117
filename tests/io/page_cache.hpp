#pragma once
/// @file
/// What the page cache holds of a file, for tests.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace ventral::test {

/// How many of the file's first bytes are in memory.
inline std::size_t bytes_in_memory(int file, std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
    REQUIRE(mapped != MAP_FAILED);
    std::vector<unsigned char> pages((bytes + page - 1) / page);
    REQUIRE(mincore(mapped, bytes, pages.data()) == 0);
    munmap(mapped, bytes);
    return page * static_cast<std::size_t>(
                      std::count_if(pages.begin(), pages.end(), [](auto p) { return p & 1; }));
}

/// Whether the file system may do so however it is asked.
inline bool keeps_files_in_memory(const std::string& path) {
    struct statfs system {};
    return statfs(path.c_str(), &system) != 0 || system.f_type != EXT4_SUPER_MAGIC;
}

}  // namespace ventral::test
