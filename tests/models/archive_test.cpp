#include "models/network/archive.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <zlib.h>

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

std::string little_endian(std::uint64_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i, value /= 256) bytes += static_cast<char>(value % 256);
    return bytes;
}

/// One entry "w" of so many bytes of noise in deflate's blocks without compression (RFC 1951,
/// 3.2.4), which a reader cannot hold at once.
std::string large_deflated_zip(std::size_t size) {
    std::string contents(size, '\0');
    std::uint32_t state = 1;
    for (char& byte : contents)
        byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    std::string packed;
    for (std::size_t at = 0; at < size; at += 65535) {
        const auto part = contents.substr(at, 65535);
        packed += static_cast<char>(at + part.size() == size);
        packed += little_endian(part.size(), 2) + little_endian(~part.size(), 2) + part;
    }
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(contents.data()),
                           static_cast<uInt>(contents.size()));
    const auto about = little_endian(8, 2) + little_endian(0, 4) + little_endian(crc, 4) +
                       little_endian(packed.size(), 4) + little_endian(size, 4) +
                       little_endian(1, 2) + little_endian(0, 2);
    const auto version = little_endian(20, 2);
    const auto local = "PK\3\4" + version + little_endian(0, 2) + about + "w" + packed;
    const auto directory = "PK\1\2" + version + version + little_endian(0, 2) + about +
                           little_endian(0, 2 + 2 + 2 + 4 + 4) + "w";
    return local + directory + "PK\5\6" + little_endian(0, 4) + little_endian(1, 2) +
           little_endian(1, 2) + little_endian(directory.size(), 4) +
           little_endian(local.size(), 4) + little_endian(0, 2);
}

}  // namespace

TEST_CASE("a deflated entry is read in pieces, and each of them counts") {
    const TemporaryFolder folder;
    const auto path = folder.file("large.zip");
    const auto whole = large_deflated_zip(5 << 19);  // two and a half pieces
    write(path, whole);
    CHECK_NOTHROW(check_archive(path));
    for (const std::size_t position : {1 << 19, 3 << 19, 9 << 18}) {
        auto bytes = whole;
        bytes[position] = static_cast<char>(bytes[position] ^ 4);
        write(path, bytes);
        CHECK_THROWS_WITH(check_archive(path), Contains("checksum of 'w'"));
    }
}

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
