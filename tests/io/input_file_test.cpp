#include "io/input_file.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a file is read as a whole, zero bytes and all") {
    const test::TemporaryFolder folder;
    const std::string bytes("a\0b\r\n", 5);
    std::ofstream(folder.file("a"), std::ios::binary) << bytes;
    std::ofstream(folder.file("empty"));
    CHECK(io::read_file(folder.file("a")) == bytes);
    CHECK(io::read_file(folder.file("empty")).empty());
}

TEST_CASE("what cannot be looked at is neither there nor surely absent") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    CHECK_FALSE(io::is_there(path));
    CHECK(io::is_surely_absent(path));
    std::ofstream{path};
    CHECK(io::is_there(path));
    CHECK_FALSE(io::is_surely_absent(path));
    const std::string too_long(5000, 'a');
    CHECK_FALSE(io::is_there(too_long));
    CHECK_FALSE(io::is_surely_absent(too_long));
}

TEST_CASE("a missing file, a folder and a device are told apart") {
    const test::TemporaryFolder folder;
    const auto missing = folder.file("missing");
    CHECK_THROWS_WITH(io::read_file(missing), missing + ": no such file");
    CHECK_THROWS_WITH(io::require_regular_file(folder.path().string()),
                      Catch::Contains("is a folder"));
    CHECK_THROWS_WITH(io::require_regular_file("/dev/null"), Catch::Contains("not a regular file"));
}

TEST_CASE("a file that the system fails to read is a transient error") {
    const std::string path = "/proc/self/mem";  // nothing is mapped at its begin
    CHECK_THROWS_AS(io::read_file(path), core::TransientError);
    CHECK_THROWS_WITH(io::read_file(path),
                      path + ": cannot be read (Input/output error) run again");
}

TEST_CASE("an array larger than a file of its size can hold is refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    std::ofstream(path) << std::string(1000, 'x');
    CHECK_NOTHROW(io::require_plausible_size(path, 1000000, 8));
    CHECK_THROWS_AS(io::require_plausible_size(path, std::uint64_t{1} << 40, 8), core::InputError);
    CHECK_THROWS_AS(io::require_plausible_size(path, ~std::uint64_t{0}, 8), core::InputError);
}
