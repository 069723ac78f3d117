#include "io/disk/durable_file.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "io/file_size_limit.hpp"
#include "io/input_file.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::write_file_durably;

namespace {

std::size_t entries(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a file is replaced as a whole and leaves no temporary name") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("scores.csv");
    for (const auto& text : {std::string(), std::string("one"), std::string(3 << 20, 'x')}) {
        write_file_durably(path, text);
        CHECK(io::read_file(path) == text);
        CHECK(entries(folder.path()) == 1);
    }
}

TEST_CASE("a write that fails keeps the old file and names the path") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("scores.csv");
    write_file_durably(path, "old");
    {
        const test::FileSizeLimit limit(1000);
        CHECK_THROWS_WITH(write_file_durably(path, std::string(5000, 'x')),
                          Catch::StartsWith(path + ": ") && Catch::Contains("File too large"));
    }
    CHECK(io::read_file(path) == "old");
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a folder that does not exist is an error that names the path") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_WITH(write_file_durably(folder.file("no/a"), "x"),
                      Catch::Contains("no/a") && Catch::Contains("folder"));
}

TEST_CASE("a temporary name that is not committed removes its file") {
    const test::TemporaryFolder folder;
    {
        const io::TemporaryName name(folder.file("a.h5"));
        std::ofstream(name.path()) << "half";
        CHECK(entries(folder.path()) == 1);
    }
    CHECK(entries(folder.path()) == 0);
}

TEST_CASE("what is no regular file is not replaced by one") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("pipe");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(write_file_durably(path, "text"), Catch::Contains("no regular file"));
    CHECK(std::filesystem::is_fifo(path));
}
