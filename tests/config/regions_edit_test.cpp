#include "config/regions_edit.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

const std::vector<std::string> layer = {"features.7"};

std::string edit(const std::string& text, const std::string& region = "V4",
                 const std::vector<std::string>& layers = layer) {
    const TemporaryFolder folder;
    return with_region(write_file(folder, "m.toml", text), region, layers);
}

}  // namespace

TEST_CASE("only the value of the region's entry changes") {
    CHECK(edit("# état\nidentifier  =  'm' \n\n[regions]\n  V1 = ['x']\n"
               "V4 =  [ 'é', # why\n 'b' ]   # best so far\nIT = ['c']\n[preprocessing]\ncrop=8") ==
          "# état\nidentifier  =  'm' \n\n[regions]\n  V1 = ['x']\n"
          "V4 =  [\"features.7\"]   # best so far\nIT = ['c']\n[preprocessing]\ncrop=8");
    CHECK(edit("name = 'é'\nregions = { V1 = ['é'], V4 = ['b'], IT = ['c'] } # é") ==
          "name = 'é'\nregions = { V1 = ['é'], V4 = [\"features.7\"], IT = ['c'] } # é");
    CHECK(edit("regions.V4=['b']") == "regions.V4=[\"features.7\"]");
    CHECK(edit("[regions]\r\nV4 = ['b']\r\n") == "[regions]\r\nV4 = [\"features.7\"]\r\n");
    CHECK(edit("[regions]\n'V4' = ['b']\n") == "[regions]\n'V4' = [\"features.7\"]\n");
}

TEST_CASE("a region without an entry gets one, in the form that the others have") {
    CHECK(edit("[regions] # areas\nIT = ['c']\n[x]\n") ==
          "[regions] # areas\nV4 = [\"features.7\"]\nIT = ['c']\n[x]\n");
    CHECK(edit("a = 1\r\n[regions]") == "a = 1\r\n[regions]\r\nV4 = [\"features.7\"]\r\n");
    CHECK(edit("regions = {}\n") == "regions = { V4 = [\"features.7\"] }\n");
    CHECK(edit("regions = {IT = ['c']}\n") == "regions = { V4 = [\"features.7\"],IT = ['c']}\n");
    CHECK(edit("a = 1\nregions.IT = ['c']\n[x]\n") ==
          "a = 1\nregions.V4 = [\"features.7\"]\nregions.IT = ['c']\n[x]\n");
    CHECK(edit("a = 1") == "a = 1\n\n[regions]\nV4 = [\"features.7\"]\n");
    CHECK(edit("[x]\nb = 2\n") == "[x]\nb = 2\n\n[regions]\nV4 = [\"features.7\"]\n");
}

TEST_CASE("several layers are a list, odd names are quoted") {
    CHECK(edit("[regions]\nV4 = ['b']\n", "V4", {"features.3", "features.5"}) ==
          "[regions]\nV4 = [\"features.3\", \"features.5\"]\n");
    CHECK(edit("[regions]\n", "area 1", {"a\\b\"\n"}) ==
          "[regions]\n\"area 1\" = [\"a\\\\b\\\"\\u000A\"]\n");
}

TEST_CASE("what is not TOML is refused") {
    CHECK_THAT(input_error([] { edit("regions = [\n"); }), Catch::Contains("not TOML"));
    CHECK_THAT(input_error([] { edit("regions = 3\n"); }), Catch::Contains("must be a table"));
}
