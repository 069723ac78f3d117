#include "io/disk/descriptor.hpp"

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

bool is_open(int id) { return fcntl(id, F_GETFD) >= 0; }

TEST_CASE("a descriptor is closed with the last that it was moved to") {
    const test::TemporaryFolder folder;
    int id = -1;
    {
        io::Descriptor outer;
        CHECK_FALSE(outer);
        {
            io::Descriptor file(folder.file("new"), O_WRONLY | O_CREAT);
            REQUIRE(file);
            id = file.id();
            outer = std::move(file);
        }
        CHECK(is_open(id));
        CHECK(fcntl(id, F_GETFD) == FD_CLOEXEC);
        io::Descriptor last(std::move(outer));
        CHECK(last.reset());
        CHECK_FALSE(is_open(id));
        CHECK(last.reset());
        last = io::Descriptor(folder.file("new"), O_RDONLY);
        id = last.id();
    }
    CHECK_FALSE(is_open(id));
}

TEST_CASE("a file that cannot be opened leaves none, and the reason in errno") {
    const test::TemporaryFolder folder;
    const io::Descriptor file(folder.file("absent"), O_RDONLY);
    CHECK(errno == ENOENT);
    CHECK_FALSE(file);
    CHECK_FALSE(file.has_name(folder.file("absent")));
}

TEST_CASE("a file has its name until another one gets it") {
    const test::TemporaryFolder folder;
    const io::Descriptor file(folder.file("a"), O_WRONLY | O_CREAT);
    CHECK(file.has_name(folder.file("a")));
    const io::Descriptor other(folder.file("b"), O_WRONLY | O_CREAT);
    std::filesystem::rename(folder.file("b"), folder.file("a"));
    CHECK_FALSE(file.has_name(folder.file("a")));
    CHECK(other.has_name(folder.file("a")));
}

}  // namespace
