#include "io/disk/disk_rate.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a disk is written and read at some rate, and nothing stays there") {
    const test::TemporaryFolder folder;
    const auto rate = io::measure_disk(folder.path().string(), (std::size_t{1} << 20) + 1);
    CHECK(rate.written_bytes > 0);
    CHECK(rate.read_bytes > 0);
    CHECK(rate.buffered_bytes > 0);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a folder that cannot be written is named") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_AS(io::measure_disk(folder.file("absent"), 1), core::OutputError);
    CHECK_THROWS_WITH(io::measure_disk(folder.file("absent"), 1),
                      Catch::Contains(folder.file("absent")) && Catch::Contains("No such file"));
}
