#include "io/disk/entries_of.hpp"

#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("the files and folders of a folder are listed, not what is in these") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("a.h5")) << "half";
    std::filesystem::create_directory(folder.file("b"));
    std::ofstream(folder.file("b/c.h5")) << "half";
    std::error_code error;
    auto entries = io::entries_of(folder.path().string(), error);
    std::sort(entries.begin(), entries.end());
    CHECK(entries == std::vector<std::filesystem::path>{folder.file("a.h5"), folder.file("b")});
    CHECK_FALSE(error);
}

TEST_CASE("a folder that is not there has no entries, and it is said why") {
    const test::TemporaryFolder folder;
    CHECK(io::entries_of(folder.file("absent")).empty());
    std::error_code error;
    CHECK(io::entries_of(folder.file("absent"), error).empty());
    CHECK(error == std::errc::no_such_file_or_directory);
}
