#include "io/text/checked_text.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/input_file.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a text comes back as it was written") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.json");
    CHECK_FALSE(io::read_checked_text(path));
    for (const std::string text : {"", "{\"value\":0.5}", "two\nlines\n"}) {
        io::write_checked_text(path, text);
        CHECK(io::read_checked_text(path) == text);
    }
}

TEST_CASE("a text that cannot be looked at is not taken for one that is not there") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.json");
    std::filesystem::create_symlink(path, path);
    CHECK_THROWS_AS(io::read_checked_text(path), core::InputError);
}

TEST_CASE("a text of which any byte has changed or is missing is refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.json");
    io::write_checked_text(path, "{\"value\":0.7310}");
    const auto whole = io::read_file(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        std::ofstream(path, std::ios::binary) << changed;
        CHECK_THROWS_WITH(io::read_checked_text(path), path + ": its CRC is wrong (damaged)");
        std::ofstream(path, std::ios::binary) << whole.substr(0, at);
        CHECK_THROWS_AS(io::read_checked_text(path), core::InputError);
    }
}
