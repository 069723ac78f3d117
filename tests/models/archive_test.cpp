#include "models/archive.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using ventral::core::InputError;
using ventral::models::check_archive;
using ventral::test::TemporaryFolder;

namespace {

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

// From Python's zipfile: "a" = "ventral" (stored, its bytes at 31 … 37) and "b" = 40 times "x"
// (deflated, its bytes at 69 … 74).
std::string small_zip() {
    const std::string hexadecimal =
        "504b030414000000000000002100ca9125e70700000007000000010000006176656e7472616c"
        "504b030414000000080000002100f0711ac406000000280000000100000062aba8200e000050"
        "4b0102140314000000000000002100ca9125e707000000070000000100000000000000000000"
        "0080010000000061504b0102140314000000080000002100f0711ac406000000280000000100"
        "0000000000000000000080012600000062504b050600000000020002005e0000004b00000000"
        "00";
    std::string bytes;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
    return bytes;
}

}  // namespace

TEST_CASE("a whole archive passes, stored and deflated entries alike") {
    const TemporaryFolder folder;
    const auto path = folder.file("small.zip");
    write(path, small_zip());
    CHECK_NOTHROW(check_archive(path));
}

TEST_CASE("what torch saves passes, and its last byte is needed") {
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    ventral::test::save_network({"Same", "def forward(self, x):\n  return x\n", {}, {}, ""}, path);
    CHECK_NOTHROW(check_archive(path));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    CHECK_THROWS_AS(check_archive(path), InputError);
}

TEST_CASE("a flipped bit in the contents of any entry is found") {
    const TemporaryFolder folder;
    const auto path = folder.file("small.zip");
    for (const std::size_t position : {31, 37, 69, 71}) {
        auto bytes = small_zip();
        bytes[position] = static_cast<char>(bytes[position] ^ 4);
        write(path, bytes);
        CHECK_THROWS_WITH(check_archive(path),
                          StartsWith(path + ": damaged TorchScript file") && Contains("checksum"));
    }
}

TEST_CASE("no change of a single byte and no cut does anything but pass or throw InputError") {
    const TemporaryFolder folder;
    const auto path = folder.file("small.zip");
    const auto whole = small_zip();
    for (std::size_t position = 0; position < whole.size(); ++position) {
        auto bytes = whole;
        bytes[position] = static_cast<char>(~bytes[position]);
        write(path, bytes);
        try {
            check_archive(path);
        } catch (const InputError&) {
        }
        write(path, whole.substr(0, position));
        CHECK_THROWS_AS(check_archive(path), InputError);
    }
}

TEST_CASE("what is no archive, or not there, is named") {
    const TemporaryFolder folder;
    const auto path = folder.file("weights.ts");
    CHECK_THROWS_WITH(check_archive(path), path + ": no such file of weights");
    CHECK_THROWS_AS(check_archive(folder.path().string()), InputError);
    write(path, "these are no weights");
    CHECK_THROWS_WITH(check_archive(path), StartsWith(path + ": not a TorchScript file"));
    write(path, "");
    CHECK_THROWS_AS(check_archive(path), InputError);
}
