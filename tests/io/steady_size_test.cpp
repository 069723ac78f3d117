#include "io/hdf5/steady_size.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

void write(const std::string& path, std::size_t bytes) {
    std::ofstream(path, std::ios::binary) << std::string(bytes, 'a');
}

}  // namespace

TEST_CASE("a file that ends elsewhere than when it was opened is an error, whatever it lost") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    write(path, 100);
    const io::SteadySize size(path);
    CHECK_NOTHROW(size.require(path));
    const std::size_t now = GENERATE(std::size_t{0}, std::size_t{99}, std::size_t{101});
    write(path, now);
    CHECK_THROWS_AS(size.require(path), core::TransientError);
    CHECK_THROWS_WITH(size.require(path), Catch::StartsWith(path + ": was changed") &&
                                              Catch::Contains("byte " + std::to_string(now)) &&
                                              Catch::Contains("ended at 100"));
}

TEST_CASE("another file under the same name changes nothing for who reads the first") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a");
    write(path, 100);
    const io::SteadySize size(path);
    write(folder.file("b"), 7);
    std::filesystem::rename(folder.file("b"), path);
    CHECK_NOTHROW(size.require(path));
}

TEST_CASE("a missing file and a folder are refused as everywhere") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_WITH(io::SteadySize(folder.file("no")), folder.file("no") + ": no such file");
    CHECK_THROWS_WITH(io::SteadySize(folder.path()), Catch::Contains("is a folder"));
}
