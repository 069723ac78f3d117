#include "io/disk/write_behind.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "io/page_cache.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t piece = 8 * mib;
constexpr std::size_t pieces = 12;  // more than are on their way at once

/// A file of `pieces` whose bytes are their numbers, written as if each had taken `seconds`.
int write_pieces(const std::string& path, double seconds) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    io::WriteBehind behind(file);
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::string bytes(piece, static_cast<char>('a' + i));
        const auto place = static_cast<off_t>(i * piece);
        REQUIRE(pwrite(file, bytes.data(), piece, place) == static_cast<ssize_t>(piece));
        CHECK(behind.written(place, piece, seconds) == 0);
    }
    return file;
}

}  // namespace

TEST_CASE("copies cost much from a second per GiB on, over 16 MiB in a row") {
    io::CopyCost cost;
    cost.add(16 * mib, 0.015);  // 1/64 s is a second per GiB
    CHECK_FALSE(cost.is_high());
    cost.add(15 * mib, 0.1);
    CHECK_FALSE(cost.is_high());
    cost.add(mib, 0);
    CHECK(cost.is_high());
    cost.add(16 * mib, 0);
    CHECK(cost.is_high());
}

TEST_CASE("of a file whose pages cost much the memory is given up, and no byte of it lost") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    const double seconds = GENERATE(0.001, 1.0);
    const int file = write_pieces(path, seconds);
    if (!test::keeps_files_in_memory(path))
        CHECK(test::bytes_in_memory(file, piece) == (seconds == 1.0 ? 0 : piece));
    std::string read(pieces * piece + 1, '\0');  // with an end that is in no piece
    REQUIRE(pread(file, read.data(), pieces * piece, 0) == static_cast<ssize_t>(pieces * piece));
    for (std::size_t i = 0; i < pieces; ++i)
        CHECK(read.find_first_not_of(static_cast<char>('a' + i), i * piece) == (i + 1) * piece);
    close(file);
}

TEST_CASE("where a disk cannot be told to begin, that is no failed write") {
    io::WriteBehind behind(-1);
    CHECK(behind.written(0, 64 * mib, 1) == 0);
    CHECK(behind.written(1024 * mib, 64 * mib, 1) == 0);
}
