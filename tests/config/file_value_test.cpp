#include "config/file_value.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;

namespace {

const std::string digest = "00608C4456a774375a0a0d1a74fb4fd5339dab0e";

NamedFile read(const std::string& text, Checksum kind = Checksum::sha1) {
    const auto contents = toml::parse(text);
    Table table("c/a.toml", contents);
    return read_file_value(table.need("f"), kind, "c/a.toml", {});
}

}  // namespace

TEST_CASE("a file is a name or a table with its checksum, which is made lower case") {
    CHECK(read("f = 'x.nc'").path == "c/x.nc");
    CHECK(read("f = 'x.nc'").checksum.empty());
    CHECK(read("f = { file = 'x.nc' }").checksum.empty());
    const auto file = read("f = { file = 'x.nc', sha1 = '" + digest + "' }");
    CHECK(file.path == "c/x.nc");
    CHECK(file.checksum == "00608c4456a774375a0a0d1a74fb4fd5339dab0e");
}

TEST_CASE("coordinates of recordings may be renamed and dropped") {
    CHECK(read("f = { file = 'x.nc', drop = ['id'] }").renamed ==
          std::map<std::string, std::string>{{"id", ""}});
    CHECK(input_error([] { read("f = { file = 'x', rename = { a = 'b' }, drop = ['a'] }"); }) ==
          "c/a.toml:1:48: coordinate 'a' is renamed and dropped");
    const auto file = read("f = { file = 'x.nc', rename = { repetition_id = 'repetition' } }");
    CHECK(file.renamed == std::map<std::string, std::string>{{"repetition_id", "repetition"}});
    CHECK(input_error([] { read("f = { file = 'x.nc', rename = { a = 3 } }"); }) ==
          "c/a.toml:1:37: 'a' must be a string, not an integer");
}

TEST_CASE("a checksum of another kind or length is an error") {
    CHECK(input_error([] { read("f = { file = 'x.nc', sha1 = '00' }"); }) ==
          "c/a.toml:1:29: a checksum of 40 hexadecimal digits is wanted");
    CHECK(input_error([] {
              read("f = { file = 'x', sha256 = '" + digest + "' }", Checksum::sha256);
          }) == "c/a.toml:1:28: a checksum of 64 hexadecimal digits is wanted");
    CHECK(input_error([] { read("f = { file = 'x', md5 = '00' }"); }) ==
          "c/a.toml:1:19: unknown key 'md5' in [f] (known: drop, file, rename, sha1, variable)");
    CHECK(input_error([] { read("f = { file = 'x', sha1 = '00' }", Checksum::none); }) ==
          "c/a.toml:1:19: unknown key 'sha1' in [f] (known: file, variable)");
}

TEST_CASE("a file that is neither name nor table is an error") {
    CHECK(input_error([] { read("f = 3"); }) ==
          "c/a.toml:1:5: 'f' must be a table { file = … } or the name of a file, not an integer");
}
