#include "core/hash.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral::core;

namespace {

// FIPS 180-2, appendices A.1 and B.1: the digests of "abc".
const std::string sha1_of_abc = "a9993e364706816aba3e25717850c26c9cd0d89d";
const std::string sha256_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

}  // namespace

TEST_CASE("SHA-256 of known texts") {
    CHECK(sha256("abc") == sha256_of_abc);
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a file has the digest of its bytes") {
    const ventral::test::TemporaryFolder folder;
    std::ofstream(folder.file("abc")) << "abc";
    CHECK(sha256_of_file(folder.file("abc")) == sha256_of_abc);
    CHECK(sha1_of_file(folder.file("abc")) == sha1_of_abc);

    const std::string large(3'000'000, 'x');  // several blocks
    std::ofstream(folder.file("large")) << large;
    int blocks = 0;
    CHECK(sha256_of_file(folder.file("large"), [&] { ++blocks; }) == sha256(large));
    CHECK(blocks == 3);  // of a MiB, the last one in part
}

TEST_CASE("a file that cannot be read is an error that begins with its path") {
    const ventral::test::TemporaryFolder folder;
    const auto path = folder.file("missing");
    CHECK_THROWS_AS(sha256_of_file(path), InputError);
    CHECK_THROWS_WITH(sha1_of_file(path), Catch::StartsWith(path + ": cannot be read"));
    CHECK_THROWS_AS(sha256_of_file(folder.path().string()), InputError);
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(sha1_of_file(path), Catch::StartsWith(path + ": is no regular file"));
}

TEST_CASE("CRC-32C of the check value and of the iSCSI examples") {
    CHECK(crc32c("123456789") == 0xE3069283);
    CHECK(crc32c("") == 0);
    // RFC 3720, B.4: 32 bytes of zeros, and of ones.
    CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
    CHECK(crc32c(std::string(32, '\xff')) == 0x62A8AB43);
}

TEST_CASE("checksums of several parts are those of each") {
    const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
    for (const std::size_t size : {1, 7, 8, 9, 4099})
        for (const std::size_t count : {0, 1, 3, 4, 5, 11}) {
            std::string parts;
            for (std::size_t i = 0; i < count * size; ++i)
                parts += static_cast<char>(i * 2654435761U >> 24);
            const auto crcs = crc32c_of_each(bytes(parts), size);
            REQUIRE(crcs.size() == count);
            for (std::size_t i = 0; i < count; ++i)
                CHECK(crcs[i] == crc32c(parts.substr(i * size, size)));
        }
    CHECK_THROWS_AS(crc32c_of_each(bytes("12345"), 2), std::invalid_argument);
    CHECK_THROWS_AS(crc32c_of_each({}, 0), std::invalid_argument);
}

TEST_CASE("keys differ when parts are split differently, renamed or of another type") {
    const auto key = [](auto... parts) { return KeyBuilder().add(parts...).key(); };
    CHECK(key("ab", "c") != key("a", "bc"));
    CHECK(key("a", std::int64_t{1}) != key("a", 1.0));
    CHECK(key("a", std::int64_t{1}) != key("a", "1"));
    CHECK(key("a", 0.0) != key("a", -0.0));
    CHECK(KeyBuilder().add("a", "1").add("b", "2").key() !=
          KeyBuilder().add("b", "2").add("a", "1").key());
    CHECK(KeyBuilder().add("a", "1").key() == KeyBuilder().add("a", "1").key());
}
