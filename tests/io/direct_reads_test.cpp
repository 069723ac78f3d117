#include "io/direct_reads.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "io/page_cache.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

constexpr std::size_t page = io::direct_alignment;

struct Page {
    alignas(page) std::array<char, page> bytes{};
};

/// A file of so many pages of "a", "b" …, on the disk.
void write_pages(const std::string& path, std::size_t count) {
    std::ofstream file(path, std::ios::binary);
    for (std::size_t i = 0; i < count; ++i) file << std::string(page, static_cast<char>('a' + i));
    file.close();
    const int descriptor = open(path.c_str(), O_RDWR);
    fsync(descriptor);
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    close(descriptor);
}

bool is_full_of(const Page& read, char letter) {
    return std::string(read.bytes.data(), page) == std::string(page, letter);
}

}  // namespace

TEST_CASE("parts are filled in their order, whether the page cache has the file or not") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    write_pages(path, 5);
    const int descriptor = open(path.c_str(), O_RDONLY);
    const bool is_cached = GENERATE(false, true);
    Page warm;
    if (is_cached) REQUIRE(pread(descriptor, warm.bytes.data(), page, page) == page);
    io::DirectReads reads(path);
    if (!reads.are_possible()) return;
    std::vector<Page> pages(3);
    std::array<iovec, 2> parts{iovec{pages[1].bytes.data(), 2 * page},
                               iovec{pages[0].bytes.data(), page}};
    REQUIRE(reads.read(page, parts));
    CHECK(is_full_of(pages[1], 'b'));
    CHECK(is_full_of(pages[2], 'c'));
    CHECK(is_full_of(pages[0], 'd'));
    if (!is_cached && !test::keeps_files_in_memory(path))
        CHECK(test::bytes_in_memory(descriptor, 5 * page) == 0);
    close(descriptor);
}

TEST_CASE("parts beyond the end of a file are an error") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    write_pages(path, 2);
    io::DirectReads reads(path);
    if (!reads.are_possible()) return;
    std::vector<Page> pages(2);
    iovec part{pages[0].bytes.data(), 2 * page};
    try {
        reads.read(page, {&part, 1});
        FAIL("it was read");
    } catch (const std::system_error& error) {
        CHECK(error.code().value() == EIO);
    }
}

TEST_CASE("what a file system cannot read so is left to others") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    io::DirectReads missing(path);
    iovec nothing{nullptr, 0};
    CHECK_FALSE(missing.are_possible());
    CHECK_FALSE(missing.read(0, {&nothing, 1}));
    write_pages(path, 2);
    if (test::keeps_files_in_memory(path)) return;
    io::DirectReads reads(path);
    Page read;
    iovec part{read.bytes.data() + 1, page - 1};  // as if larger units were wanted
    CHECK_FALSE(reads.read(1, {&part, 1}));
    CHECK_FALSE(reads.are_possible());
}
