#include "config/dataset_file.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::benchmarks::Access;
using ventral::test::input_error;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

const std::string digest = "00608c4456a774375a0a0d1a74fb4fd5339dab0e";
const ConfigPlaces places = {{}, "/data"};

DatasetEntry read(const std::string& text) {
    const TemporaryFolder folder;
    return read_dataset_file(write_file(folder, "d.toml", text), places);
}

std::string error_of(const std::string& text) {
    const TemporaryFolder folder;
    const auto path = write_file(folder, "d.toml", text);
    return input_error([&] { read_dataset_file(path, places); }, path);
}

}  // namespace

TEST_CASE("a dataset has stimuli, assemblies by role and an access") {
    const auto record = read(
                            "identifier = 'v4'\naccess = 'private'\n"
                            "stimuli = { csv = 's.csv', sha1 = '" +
                            digest +
                            "', folder = 'images', "
                            "visual_degrees = 4 }\n"
                            "[assemblies]\ntarget = { file = 'a.nc', sha1 = '" +
                            digest +
                            "' }\n"
                            "repetitions = 'r.nc'\n")
                            .record;
    CHECK(record.identifier == "v4");
    CHECK_THAT(record.origin, Catch::EndsWith("d.toml"));
    CHECK(record.access == Access::restricted);
    CHECK(record.stimuli.csv.path == "/data/s.csv");
    CHECK(record.stimuli.csv.sha1 == digest);
    CHECK(record.stimuli.folder == "/data/images");
    CHECK(record.stimuli.visual_degrees == 4.0);
    REQUIRE(record.assemblies.size() == 2);
    CHECK(record.assemblies.at("target").path == "/data/a.nc");
    CHECK(record.assemblies.at("target").sha1 == digest);
    CHECK(record.assemblies.at("repetitions").path == "/data/r.nc");
    CHECK(record.assemblies.at("repetitions").sha1.empty());
}

TEST_CASE("an assembly may be one of several variables, with names of its own") {
    const auto record = read(
                            "identifier = 'v4'\n[assemblies]\n"
                            "target = { file = 'a.nc', variable = 'rates' }\n"
                            "repetitions = { file = 'r.nc', rename = { trial = 'repetition' } }\n")
                            .record;
    CHECK(record.assemblies.at("target").variable == "rates");
    CHECK(record.assemblies.at("target").renamed.empty());
    CHECK(record.assemblies.at("repetitions").variable.empty());
    CHECK(record.assemblies.at("repetitions").renamed.at("trial") == "repetition");
}

TEST_CASE("a dataset may have no stimuli and is public if it says nothing") {
    const auto record = read("identifier = 'v4'\nassemblies = { target = 'a.nc' }\n").record;
    CHECK(record.stimuli.csv.path.empty());
    CHECK(record.access == Access::open);
}

TEST_CASE("stimuli without recordings are a dataset too") {
    const auto record =
        read("identifier = 'photos'\nstimuli = { csv = 's.csv', folder = 'f' }\n").record;
    CHECK(record.assemblies.empty());
    CHECK_THAT(record.stimuli.csv.path, Catch::EndsWith("s.csv"));
}

TEST_CASE("the entry of a dataset says where its identifier stands") {
    CHECK_THAT(read("\nidentifier = 'v4'\nassemblies = { target = 'a.nc' }\n").place,
               Catch::EndsWith("d.toml:2:14"));
}

TEST_CASE("a wrong dataset is an error at its place") {
    CHECK(error_of("identifier = 'v4'\n") ==
          ":1:1: key 'assemblies' is missing (there are: identifier)");
    CHECK(error_of("identifier = 'v4'\n[assemblies]\n") ==
          ":2:1: no assembly (give target or repetitions)");
    CHECK(error_of("identifier = 'v4'\n[assemblies]\ntraget = 'a.nc'\n") ==
          ":3:1: unknown key 'traget' in [assemblies], did you mean 'target'? "
          "(known: repetitions, target)");
    CHECK(error_of("identifier = 'v4'\n[assemblies]\ntarget = 'a.nc'\ntrain = 'b.nc'\n") ==
          ":4:1: unknown key 'train' in [assemblies] (known: repetitions, target)");
    CHECK(error_of("identifier = 'v4'\naccess = 'publik'\n[assemblies]\ntarget = 'a.nc'\n") ==
          ":2:10: 'access' may not be 'publik', did you mean 'public'? (allowed: public, private)");
    CHECK(error_of("identifier = 'v4'\nstimuli = { csv = 's.csv' }\n") ==
          ":2:11: key 'folder' is missing in [stimuli] (there are: csv)");
    CHECK(error_of(
              "identifier = 'v4'\nstimuli = { csv = 's', folder = 'f', visual_degrees = -1 }\n") ==
          ":2:55: 'visual_degrees' must be above 0, not -1");
}
