#include "config/model_file.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::models::MemoryLayout;
using ventral::test::input_error;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

const std::string digest(64, 'a');
const ConfigPlaces places = {{}, "/data"};
const std::string least = "identifier = 'm'\nweights = 'm.ts'\nvisual_degrees = 8\n";
const std::string preprocessing = "[preprocessing]\ncrop = 224\n";

ventral::models::ModelRecord read(const std::string& text) {
    const TemporaryFolder folder;
    return read_model_file(write_file(folder, "m.toml", text), places).record;
}

std::string error_of(const std::string& text) {
    const TemporaryFolder folder;
    const auto path = write_file(folder, "m.toml", text);
    return input_error([&] { read_model_file(path, places); }, path);
}

}  // namespace

TEST_CASE("every field of a model can be set") {
    const auto record = read(
        "identifier = 'm'\nweights = { file = 'm.ts', sha256 = '" + digest +
        "' }\nvisual_degrees = 10\nbatch_size = 32\nreadout_layer = 'logits'\nlayers = ['a', 'b']\n"
        "device = 'cpu'\nmemory_layout = 'contiguous'\n[preprocessing]\nresize = 256\n"
        "[regions]\nV4 = ['a']\nIT = ['b', 'c']\n");
    CHECK(record.identifier == "m");
    CHECK_THAT(record.origin, Catch::EndsWith("m.toml"));
    CHECK(record.weights_file == "/data/m.ts");
    CHECK(record.weights_sha256 == digest);
    CHECK(record.features.path.empty());
    CHECK(record.visual_degrees == 10.0);
    CHECK(record.batch_size == 32);
    CHECK(record.readout_layer == "logits");
    CHECK(record.candidate_layers == std::vector<std::string>{"a", "b"});
    CHECK(record.regions.at("V4") == std::vector<std::string>{"a"});
    CHECK(record.regions.at("IT") == std::vector<std::string>{"b", "c"});
    CHECK(record.device == "cpu");
    CHECK(record.memory_layout == MemoryLayout::contiguous);
    REQUIRE(record.preprocessing);
    CHECK(record.preprocessing->resize == 256);
}

TEST_CASE("a network needs weights, degrees and preprocessing only") {
    const auto record = read(least + preprocessing);
    CHECK(record.batch_size == 16);
    CHECK(record.device == "auto");
    CHECK(record.memory_layout == MemoryLayout::channels_last);
    CHECK(record.weights_sha256.empty());
}

TEST_CASE("stored features need nothing else") {
    for (const char* features : {"'f.nc'", "{ file = 'f.nc' }"}) {
        const auto record = read(std::string("identifier = 'm'\nfeatures = ") + features + "\n");
        CHECK(record.features.path == "/data/f.nc");
        CHECK(record.weights_file.empty());
        CHECK(!record.preprocessing);
    }
}

TEST_CASE("a variable may be chosen of stored features, not of weights") {
    const auto record =
        read("identifier = 'm'\nfeatures = { file = 'f.nc', variable = 'rates' }\n");
    CHECK(record.features.path == "/data/f.nc");
    CHECK(record.features.variable == "rates");
    CHECK(read("identifier = 'm'\nfeatures = 'f.nc'\n").features.variable.empty());
    CHECK_THAT(error_of("identifier = 'm'\nweights = { file = 'f.ts', variable = 'rates' }\n"),
               Catch::StartsWith(":2:") && Catch::Contains("'variable'"));
}

TEST_CASE("stored features may be in a file for each dataset") {
    const auto record = read(
        "identifier = 'm'\n[features]\nday1 = 'f.nc'\n"
        "day2 = { file = 'g.nc', variable = 'rates' }\n[pca]\nfeatures = 'photos.nc'\n");
    CHECK(record.features.path.empty());
    REQUIRE(record.features_of.size() == 2);
    CHECK(record.features_of.at("day1").path == "/data/f.nc");
    CHECK(record.features_of.at("day1").variable.empty());
    CHECK(record.features_of.at("day2").path == "/data/g.nc");
    CHECK(record.features_of.at("day2").variable == "rates");
    CHECK(record.pca.value().features.path == "/data/photos.nc");
    CHECK(read("identifier = 'm'\nfeatures = { variable = { file = 'f.nc' } }\n")
              .features_of.contains("variable"));
    CHECK_THAT(error_of("identifier = 'm'\nfeatures = {}\n"),
               Catch::StartsWith(":2:12: key 'file' is missing"));
    CHECK_THAT(error_of("identifier = 'm'\nfeatures = { day1 = 3 }\n"),
               Catch::StartsWith(":2:21: "));
    CHECK_THAT(error_of("identifier = 'm'\nfeatures = { file = 'f.nc', day1 = 'g.nc' }\n"),
               Catch::StartsWith(":2:29: unknown key 'day1'"));
}

TEST_CASE("a PCA names the dataset of its images and has 1000 components if it says nothing") {
    const auto pca = read(least + preprocessing + "[pca]\nstimuli = 'photos'\n").pca;
    REQUIRE(pca);
    CHECK(pca->components == 1000);
    CHECK(pca->dataset == "photos");
    CHECK(read(least + "pca = { n_components = 16, stimuli = 'photos' }\n" + preprocessing)
              .pca->components == 16);
    CHECK_FALSE(read(least + preprocessing).pca);
    CHECK(error_of(least + preprocessing + "[pca]\nn_components = 0\n") ==
          ":7:16: 'n_components' must be from 1 to 1000000, not 0");
    CHECK_THAT(error_of(least + preprocessing + "[pca]\n"),
               Catch::StartsWith(":6:1: key 'stimuli' is missing"));
    CHECK(pca->features.path.empty());
    CHECK_THAT(error_of(least + preprocessing + "[pca]\nfeatures = 'f.nc'\n"),
               Catch::StartsWith(":7:12: a network is shown the images"));
}

TEST_CASE("the PCA of stored features names a file of them for the images that it is fitted on") {
    const std::string stored = "identifier = 'm'\nfeatures = 'f.nc'\n";
    const auto pca = read(stored + "pca = { features = 'photos.nc', n_components = 16 }\n").pca;
    REQUIRE(pca);
    CHECK(pca->components == 16);
    CHECK(pca->dataset.empty());
    CHECK(pca->features.path == "/data/photos.nc");
    CHECK(pca->features.variable.empty());
    CHECK(read(stored + "[pca]\nfeatures = { file = 'photos.nc', variable = 'rates' }\n")
              .pca->features.variable == "rates");
    CHECK_THAT(error_of(stored + "pca = { stimuli = 'photos' }\n"),
               Catch::StartsWith(":3:19: stored features cannot be had of other images"));
    CHECK_THAT(error_of(stored + "[pca]\nn_components = 16\n"),
               Catch::StartsWith(":3:1: key 'features' is missing"));
}

TEST_CASE("a network may answer differently in each trial, stored features cannot") {
    CHECK(read(least + "require_variance = true\n" + preprocessing).require_variance);
    CHECK_FALSE(read(least + preprocessing).require_variance);
    CHECK_THAT(error_of("identifier = 'm'\nfeatures = 'f.nc'\nrequire_variance = true\n"),
               Catch::StartsWith(":3:20: stored features are the same in every trial"));
}

TEST_CASE("a network may answer in time") {
    const auto time =
        read(least + preprocessing + "[time]\naxis = 2\nbins = [[0, 50], [50, 100.5]]\n").time;
    REQUIRE(time);
    CHECK(time->axis == 2);
    REQUIRE(time->bins.size() == 2);
    CHECK(time->bins[1].start_ms == 50);
    CHECK(time->bins[1].end_ms == 100.5);
    CHECK(read(least + preprocessing + "[time]\nbins = [[0, 50]]\n").time->axis == 1);
    CHECK_FALSE(read(least + preprocessing).time);
    CHECK_THAT(error_of(least + preprocessing + "[time]\naxis = 1\n"),
               Catch::StartsWith(":6:1: key 'bins' is missing"));
    CHECK(error_of(least + preprocessing + "[time]\nbins = [[50, 0]]\n") ==
          ":7:9: a time bin must end after its start");
    CHECK_THAT(error_of("identifier = 'm'\nfeatures = 'f.nc'\ntime = { bins = [[0, 50]] }\n"),
               Catch::StartsWith(":3:8: stored features say themselves"));
    const auto both =
        read(least + "pca = { stimuli = 'photos' }\ntime = { bins = [[0, 50]] }\n" + preprocessing);
    CHECK(both.pca);
    CHECK(both.time);
}

TEST_CASE("a model has either weights or features") {
    CHECK(error_of("identifier = 'm'\n[feature]\nday1 = 'f.nc'\n") ==
          ":2:2: unknown key 'feature', did you mean 'features'?");
    CHECK(error_of(least + "features = 'f.nc'\n") ==
          ":4:12: a model has 'weights' or 'features', not both");
    CHECK(error_of("identifier = 'm'\n") ==
          ":1:1: key 'weights' is missing (or 'features', for a stored assembly, or 'builtin')");
}

TEST_CASE("a built-in network has a name, no file, and preprocessing like any network") {
    const std::string builtin = "identifier = 'm'\nbuiltin = 'gabor_v1'\nvisual_degrees = 8\n";
    const auto record = read(builtin + preprocessing);
    CHECK(record.builtin == ventral::models::Builtin::gabor_v1);
    CHECK(record.weights_file.empty());
    CHECK(record.features.path.empty());
    CHECK(error_of(builtin) ==
          ":1:1: key 'preprocessing' is missing (there are: builtin, identifier, visual_degrees)");
    CHECK(error_of(builtin + "weights = 'm.ts'\n" + preprocessing) ==
          ":2:11: a model has 'builtin' or a file of weights or features, not both");
    CHECK(error_of("identifier = 'm'\nbuiltin = 'hmx'\n") ==
          ":2:11: 'builtin' may not be 'hmx', did you mean 'hmax'? (allowed: pixels, gabor_v1, "
          "hmax)");
}

TEST_CASE("a network without degrees or preprocessing is an error") {
    CHECK(error_of(least) ==
          ":1:1: key 'preprocessing' is missing (there are: identifier, visual_degrees, weights)");
    CHECK(error_of("identifier = 'm'\nweights = 'm.ts'\n" + preprocessing) ==
          ":1:1: key 'visual_degrees' is missing (there are: identifier, preprocessing, weights)");
}

TEST_CASE("a wrong field of a model is an error at its place") {
    CHECK(error_of(least + "batch_size = 5000\n" + preprocessing) ==
          ":4:14: 'batch_size' must be from 1 to 4096, not 5000");
    CHECK(error_of(least + "device = 'gpu'\n" + preprocessing) ==
          ":4:10: 'device' may not be 'gpu', did you mean 'cpu'? (allowed: auto, cpu, cuda)");
    CHECK(error_of(least + "layers = ['a', 'a']\n" + preprocessing) ==
          ":4:16: 'a' is listed twice");
    CHECK(error_of(least + preprocessing + "[regions]\nV4 = 'a'\n") ==
          ":7:6: 'V4' must be a list, not a string");
    CHECK_THAT(error_of(least + "batchsize = 3\n" + preprocessing),
               Catch::StartsWith(":4:1: unknown key 'batchsize', did you mean 'batch_size'? "));
}
