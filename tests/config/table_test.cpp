#include "config/table.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using ventral::config::Table;
using ventral::config::Value;
using ventral::test::input_error;
using ventral::test::write_file;

namespace {

/// The value of `key` in the one-file configuration "a.toml".
Value value_of(const toml::table& contents, const std::string& key) {
    return Table("a.toml", contents).need(key);
}

}  // namespace

TEST_CASE("a key that nobody asked for is an error that points at it and names a near one") {
    const auto contents = toml::parse("seed = 7\nn_componets = 25\n");
    Table table("a.toml", contents);
    table.find("seed");
    table.find("n_components");
    CHECK(input_error([&] { table.finish(); }) ==
          "a.toml:2:1: unknown key 'n_componets', did you mean 'n_components'? "
          "(known: n_components, seed)");
}

TEST_CASE("a table of which every key was asked for is in order") {
    const auto contents = toml::parse("seed = 7\n");
    Table table("a.toml", contents);
    CHECK(table.need("seed").integer(0, 9) == 7);
    CHECK(!table.find("absent"));
    CHECK_NOTHROW(table.finish());
}

TEST_CASE("a missing key is an error at the table, with the keys that are there") {
    const auto contents = toml::parse("name = \"x\"\n[weights]\n");
    Table root("a.toml", contents);
    CHECK(input_error([&] { root.need("identifier"); }) ==
          "a.toml:1:1: key 'identifier' is missing (there are: name, weights)");
    auto weights = root.need("weights").table();
    CHECK(input_error([&] { weights.need("file"); }) ==
          "a.toml:2:1: key 'file' is missing in [weights] (there are: none)");
}

TEST_CASE("an unknown key that looks like the missing one is the error") {
    const auto contents = toml::parse("seed = 7\nmodel = [\"x\"]\nmodel_ = 1\n");
    Table table("a.toml", contents);
    CHECK(input_error([&] { table.need("models"); }) ==
          "a.toml:2:1: unknown key 'model', did you mean 'models'?");
    table.find("model");
    table.find("model_");
    CHECK(input_error([&] { table.need("models"); }) ==
          "a.toml:1:1: key 'models' is missing (there are: model, model_, seed)");
}

TEST_CASE("an unknown key within a table is named with the table") {
    const auto contents = toml::parse("[pca]\nsize = 3\n[[all]]\nb = { c = 1 }\n");
    Table root("a.toml", contents);
    auto pca = root.need("pca").table();
    CHECK(input_error([&] { pca.finish(); }) ==
          "a.toml:2:1: unknown key 'size' in [pca] (none are known)");
    CHECK(input_error([&] { pca.need("sizes"); }) ==
          "a.toml:2:1: unknown key 'size' in [pca], did you mean 'sizes'?");
    auto inner = root.need("all").list().front().table().need("b").table();
    CHECK(input_error([&] { inner.finish(); }) ==
          "a.toml:4:7: unknown key 'c' in [all.b] (none are known)");
}

TEST_CASE("a value of another type is an error that names both types") {
    const auto contents =
        toml::parse("a = \"x\"\nb = 1.5\nc = [1]\nd = true\ne = 1979-05-27\nf = {}\n");
    const auto read = [&](const std::string& key) { return value_of(contents, key); };
    CHECK(input_error([&] { read("a").integer(0, 9); }) ==
          "a.toml:1:5: 'a' must be an integer, not a string");
    CHECK(input_error([&] { read("a").table(); }) ==
          "a.toml:1:5: 'a' must be a table, not a string");
    CHECK(input_error([&] { read("b").integer(0, 9); }) ==
          "a.toml:2:5: 'b' must be an integer, not a number");
    CHECK(input_error([&] { read("c").text(); }) == "a.toml:3:5: 'c' must be a string, not a list");
    CHECK(input_error([&] { read("d").number(); }) ==
          "a.toml:4:5: 'd' must be a number, not true or false");
    CHECK(input_error([&] { read("e").list(); }) ==
          "a.toml:5:5: 'e' must be a list, not a date or time");
    CHECK(input_error([&] { read("f").flag(); }) ==
          "a.toml:6:5: 'f' must be true or false, not a table");
    CHECK(input_error([&] { read("c").texts(); }) ==
          "a.toml:3:6: entry 1 of 'c' must be a string, not an integer");
}

TEST_CASE("integers are taken where numbers are asked for") {
    const auto contents = toml::parse("degrees = 8\nlarge = 9223372036854775807\n");
    CHECK(value_of(contents, "large").number() == 0x1p63);
    CHECK(value_of(contents, "degrees").number() == 8.0);
    CHECK(value_of(contents, "degrees").positive_number() == 8.0);
}

TEST_CASE("a value out of range is an error that states the range") {
    const auto contents =
        toml::parse("i = 5\nz = 0.0\nn = nan\ne = \"\"\nl = []\nt = [\"a\", \"a\"]\n");
    const auto read = [&](const std::string& key) { return value_of(contents, key); };
    CHECK(input_error([&] { read("i").integer(1, 4); }) ==
          "a.toml:1:5: 'i' must be from 1 to 4, not 5");
    CHECK(input_error([&] { read("i").integer(6, INT64_MAX); }) ==
          "a.toml:1:5: 'i' must be at least 6, not 5");
    CHECK(input_error([&] { read("z").positive_number(); }) ==
          "a.toml:2:5: 'z' must be above 0, not 0");
    CHECK(read("i").part() == 5);
    CHECK(input_error([&] { read("z").part(); }) ==
          "a.toml:2:5: 'z' must be above 0 and below 1, or a whole number of at least 1, not 0");
    CHECK(input_error([&] { read("n").number(); }) == "a.toml:3:5: 'n' must be a finite number");
    CHECK(input_error([&] { read("e").text(); }) == "a.toml:4:5: 'e' may not be empty");
    CHECK(input_error([&] { read("l").list(); }) == "a.toml:5:5: 'l' may not be empty");
    CHECK(input_error([&] { read("t").texts(); }) == "a.toml:6:11: 'a' is listed twice");
}

TEST_CASE("a choice is one of those allowed") {
    const auto contents = toml::parse("device = \"cpuu\"\n");
    CHECK(value_of(contents, "device").choice({"cpuu", "x"}) == "cpuu");
    CHECK(input_error([&] {
              value_of(contents, "device").choice({"auto", "cpu"});
          }) ==
          "a.toml:1:10: 'device' may not be 'cpuu', did you mean 'cpu'? (allowed: auto, cpu)");
}

TEST_CASE("a single value can stand for a list of one") {
    const auto contents = toml::parse("one = 3\nmany = [3, 4]\n");
    CHECK(value_of(contents, "one").list_or_one().size() == 1);
    CHECK(value_of(contents, "many").list_or_one().at(1).integer(0, 9) == 4);
}

TEST_CASE("keys from several places are each named by their own") {
    toml::table contents;
    for (const char* key : {"one", "two"}) contents.insert(key, "text");
    const std::map<std::string, std::string> origins = {{"one", "--one"}, {"two", "--two"}};
    ventral::config::Table table(origins, contents);
    CHECK(input_error([&] { table.need("one").integer(0, 1); }) ==
          "--one: 'one' must be an integer, not a string");
    CHECK(input_error([&] { table.finish(); }) == "--two: unknown key 'two' (known: one)");
    CHECK(table.entries().at(1).second.place() == "--two");
}

TEST_CASE("a file that is not TOML is an error at the place") {
    const ventral::test::TemporaryFolder folder;
    const auto path = write_file(folder, "a.toml", "x = 1\ny = = 2\n");
    CHECK_THAT(input_error([&] { ventral::config::parse_toml(path); }, path),
               Catch::StartsWith(":2:5: not TOML: "));
    const auto twice = write_file(folder, "b.toml", "x = 1\nx = 2\n");
    CHECK_THAT(input_error([&] { ventral::config::parse_toml(twice); }, twice),
               Catch::StartsWith(":2:5: not TOML: "));
}

TEST_CASE("a network's file in place of its record is called that") {
    const ventral::test::TemporaryFolder folder;
    const auto path = write_file(folder, "net.ts", "PK\x03\x04 and so on");
    CHECK(input_error([&] { ventral::config::parse_toml(path); }, path) ==
          ": is a ZIP file (a network?), name its record (TOML)");
}

TEST_CASE("a file that cannot be read is an error") {
    const ventral::test::TemporaryFolder folder;
    const auto absent = folder.file("absent.toml");
    CHECK(input_error([&] { ventral::config::parse_toml(absent); }, absent) == ": no such file");
    const auto path = folder.path().string();
    CHECK(input_error([&] { ventral::config::parse_toml(path); }, path) ==
          ": is a folder, give a TOML file");
}

TEST_CASE("an empty file is an empty table") {
    const ventral::test::TemporaryFolder folder;
    CHECK(ventral::config::parse_toml(write_file(folder, "a.toml", "")).empty());
}
