#include "config/brainio_lookup.hpp"

#include <catch2/catch.hpp>

#include "config/catalogue.hpp"
#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::benchmarks::Access;
using ventral::test::input_error;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

const std::string digest = "00608c4456a774375a0a0d1a74fb4fd5339dab0e";
const std::string header =
    "identifier,lookup_type,class,location_type,location,sha1,stimulus_set_identifier\n";
const std::string images =
    "lab.faces,stimulus_set,StimulusSet,S3,https://store/image_lab_faces.csv," + digest +
    ",\n"
    "lab.faces,stimulus_set,,S3,https://store/image_lab_faces.zip,,\n";
const std::string assembly =
    "lab.Faces2020.public,assembly,NeuronRecordingAssembly,S3,https://store/assy_lab_Faces2020.nc,";

struct Lookup {
    explicit Lookup(const std::string& rows)
        : path(write_file(folder, "datasets/lookup.csv", header + rows)) {}

    std::vector<LookupEntry> entries() const {
        return read_brainio_lookup(path, {{}, folder.path().string()});
    }
    std::string problem() const {
        const auto all = entries();
        REQUIRE(!all.empty());
        REQUIRE(all[0].problem.starts_with(path + ":"));
        return all[0].problem.substr(path.size() + 1);
    }

    TemporaryFolder folder;
    std::string path;
};

}  // namespace

TEST_CASE("an assembly of BrainIO's list is a dataset with its stimulus set") {
    const Lookup lookup(images + assembly + "00608C4456A774375A0A0D1A74FB4FD5339DAB0E,lab.faces\n");
    const auto entries = lookup.entries();
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].problem.empty());
    CHECK(entries[0].place == lookup.path + ":4");
    const auto& record = entries[0].record;
    CHECK(record.identifier == "lab.Faces2020.public");
    CHECK(record.origin == lookup.path);
    CHECK(record.access == Access::open);
    REQUIRE(record.assemblies.size() == 1);
    CHECK(record.assemblies.at("repetitions").path == lookup.folder.file("assy_lab_Faces2020.nc"));
    CHECK(record.assemblies.at("repetitions").sha1 == digest);
    CHECK(record.stimuli.csv.path == lookup.folder.file("image_lab_faces.csv"));
    CHECK(record.stimuli.csv.sha1 == digest);
    CHECK(record.stimuli.folder == lookup.folder.file("image_lab_faces"));
    CHECK_FALSE(record.stimuli.visual_degrees);
}

TEST_CASE("a stimulus set of BrainIO's list is a dataset of images") {
    const auto entries = Lookup(images).entries();
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].record.identifier == "lab.faces");
    CHECK(entries[0].record.assemblies.empty());
}

TEST_CASE("an assembly that is called private shows nothing of single neuroids and stimuli") {
    const auto entries =
        Lookup(images + "lab.Faces2020.private,assembly,,S3,a.nc,,lab.faces\n").entries();
    CHECK(entries.at(0).record.access == Access::restricted);
}

TEST_CASE("what is wrong in a row of BrainIO's list is said where it stands") {
    CHECK(Lookup(assembly + ",lab.faces\n").problem() ==
          "2: no row of stimulus set 'lab.faces' has a table (a location that ends in .csv)");
    CHECK(Lookup("a,assembly,,,a.nc,,s\ns,stimulus_set,,,s.csv,,\n").problem() ==
          "2: no row of stimulus set 's' has images (a location that ends in .zip)");
    CHECK(
        Lookup("a,assembly,,,a.nc,,lab.faces\n" + images + "lab.faces,stimulus_set,,,other.csv,,\n")
            .problem() ==
        "5: stimulus set 'lab.faces' has another row with a location that ends in .csv");
    CHECK_THAT(Lookup("a,assembly,,,a.nc,,\n").problem(),
               Catch::StartsWith("2: key 'stimulus_set_identifier' is missing"));
    CHECK_THAT(Lookup("a,assembly,,,,,s\n").problem(),
               Catch::StartsWith("2: key 'location' is missing"));
    CHECK(Lookup("a,assembly,,,a.nc,12,s\n").problem() ==
          "2: a checksum of 40 hexadecimal digits is wanted");
    CHECK(Lookup("a,table,,,a.nc,,s\n").problem() ==
          "2: 'lookup_type' may not be 'table' (allowed: assembly, stimulus_set)");
    CHECK_THAT(Lookup(",assembly,,,a.nc,,s\n").problem(),
               Catch::StartsWith("2: key 'identifier' is missing"));
    CHECK(Lookup("a b,assembly,,,a.nc,,s\n").problem() ==
          "2: identifier 'a b' may not contain blanks");
}

TEST_CASE("a table of other columns is no list of BrainIO") {
    const TemporaryFolder folder;
    const auto path = write_file(folder, "lookup.csv", "identifier,lookup_type\n");
    CHECK(input_error([&] { read_brainio_lookup(path, {}); }, path) ==
          ":1: no column 'location' (is it a lookup.csv of BrainIO?); its columns are identifier, "
          "lookup_type");
}

TEST_CASE("the catalogue has the datasets of BrainIO's list that are right") {
    const Lookup lookup(images + assembly + ",lab.faces\nwrong,assembly,,,a.nc,,lab.houses\n");
    write_file(
        lookup.folder, "benchmarks/b.toml",
        "identifier = 'b'\ndataset = 'lab.Faces2020.public'\nregion = 'IT'\nmetric = 'pls'\n");
    const auto catalogue = read_catalogue(lookup.folder.path().string(), {});
    CHECK(catalogue.benchmarks.contains("b"));
    CHECK(catalogue.datasets.contains("lab.faces"));
    REQUIRE(catalogue.left_out.size() == 1);
    CHECK_THAT(catalogue.left_out[0], Catch::Contains("lookup.csv:5: no row of stimulus set"));
}

TEST_CASE("a record that is wrong stands for what BrainIO's list calls the same, too") {
    const Lookup lookup(images);
    write_file(lookup.folder, "datasets/faces.toml",
               "identifier = 'lab.faces'\naccess = 'privat'\n");
    CHECK(read_catalogue(lookup.folder.path().string(), {}).datasets.empty());
    write_file(lookup.folder, "datasets/faces.toml", "access = 'private'\n");
    const auto catalogue = read_catalogue(lookup.folder.path().string(), {});
    CHECK(catalogue.datasets.empty());
    REQUIRE(catalogue.left_out.size() == 2);
    CHECK_THAT(catalogue.left_out[1], Catch::Contains("some record of a dataset is wrong"));
}

TEST_CASE("a record stands for what BrainIO's list calls the same") {
    const Lookup lookup(images);
    write_file(lookup.folder, "datasets/faces.toml",
               "identifier = 'lab.faces'\nassemblies = { target = 'a.nc' }\n");
    const auto catalogue = read_catalogue(lookup.folder.path().string(), {});
    CHECK(catalogue.left_out.empty());
    CHECK(catalogue.datasets.at("lab.faces").assemblies.contains("target"));
}
