#include "io/disk/direct_reads.hpp"

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
    const io::WantedBytes wanted{page, parts};
    REQUIRE(reads.read({&wanted, 1}));
    CHECK(is_full_of(pages[1], 'b'));
    CHECK(is_full_of(pages[2], 'c'));
    CHECK(is_full_of(pages[0], 'd'));
    if (!is_cached && !test::keeps_files_in_memory(path))
        CHECK(test::bytes_in_memory(descriptor, 5 * page) == 0);
    close(descriptor);
}

TEST_CASE("many reads at once fill each its own parts, some from the page cache") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    constexpr std::size_t letters = 26;
    write_pages(path, letters);
    const int descriptor = open(path.c_str(), O_RDONLY);
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
    Page warm;
    for (const std::size_t cached : {0, 7, 25})
        REQUIRE(pread(descriptor, warm.bytes.data(), page, static_cast<off_t>(cached * page)) ==
                page);
    close(descriptor);
    io::DirectReads reads(path);
    if (!reads.are_possible()) return;
    const std::size_t count = GENERATE(1, 2, 32, 33, 100);
    std::vector<Page> pages(count);
    std::vector<iovec> parts(count);
    std::vector<io::WantedBytes> wanted;
    for (std::size_t i = 0; i < count; ++i) {
        parts[i] = {pages[i].bytes.data(), page};
        wanted.push_back({7 * i % letters * page, std::span(parts).subspan(i, 1)});
    }
    REQUIRE(reads.read(wanted));
    for (std::size_t i = 0; i < count; ++i)
        CHECK(is_full_of(pages[i], static_cast<char>('a' + 7 * i % letters)));
}

TEST_CASE("a queue tells what each read has come to, also where the kernel takes none") {
    const test::TemporaryFolder folder;
    write_pages(folder.file("a"), 2);
    const int descriptor = open(folder.file("a").c_str(), O_RDONLY);
    std::vector<Page> pages(3);
    std::array<iovec, 3> parts;
    std::array<io::WantedBytes, 3> wanted;
    for (std::size_t i = 0; i < 3; ++i) {
        parts[i] = {pages[i].bytes.data(), page};
        wanted[i] = {i * page, std::span(parts).subspan(i, 1)};
    }
    io::ReadQueue queue;
    const auto counts = queue.read(descriptor, wanted);
    CHECK(counts[0] == page);
    CHECK(counts[1] == page);
    CHECK(counts[2] == 0);  // the file ends
    CHECK(is_full_of(pages[1], 'b'));
    close(descriptor);
    for (std::size_t i = 0; i < 3; ++i) CHECK(queue.read(-1, wanted)[i] == -EBADF);
}

TEST_CASE("parts beyond the end of a file are an error") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    write_pages(path, 2);
    io::DirectReads reads(path);
    if (!reads.are_possible()) return;
    std::vector<Page> pages(2);
    iovec part{pages[0].bytes.data(), 2 * page};
    const io::WantedBytes wanted{page, {&part, 1}};
    try {
        reads.read({&wanted, 1});
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
    const io::WantedBytes of_nothing{0, {&nothing, 1}};
    CHECK_FALSE(missing.read({&of_nothing, 1}));
    write_pages(path, 2);
    if (test::keeps_files_in_memory(path)) return;
    io::DirectReads reads(path);
    Page read;
    iovec part{read.bytes.data() + 1, page - 1};  // as if larger units were wanted
    const io::WantedBytes unaligned{1, {&part, 1}};
    CHECK_FALSE(reads.read({&unaligned, 1}));
    CHECK_FALSE(reads.are_possible());
}
