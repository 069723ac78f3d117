#include "pipeline/demo/demo.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <catch2/catch.hpp>

#include "config/run_file.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "io/text/stimulus_csv.hpp"
#include "pipeline/demo/demo_configs.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

/// Written once for all tests of this file, since it takes seconds.
const test::TemporaryFolder& demo_folder() {
    static const test::TemporaryFolder folder;
    static const bool written = (pipeline::write_demo(folder.path().string()), true);
    (void)written;
    return folder;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("the demo's run file names models, benchmarks and data that are there") {
    const auto run = config::read_run(demo_folder().file("run.toml"), {});
    CHECK(run.models.size() == 2);
    CHECK(run.benchmarks.size() == 8);
    CHECK(run.layers == config::LayerChoice::candidates);
    for (const auto& model : run.models) {
        CHECK(model.candidate_layers.size() == 7);
        CHECK(model.regions.at("V4") == std::vector<std::string>{"stage5"});
        CHECK(core::sha256_of_file(model.weights_file) == model.weights_sha256);
    }
    const auto& dataset = run.datasets.at("demo");
    CHECK(core::sha1_of_file(dataset.stimuli.csv.path) == dataset.stimuli.csv.sha1);
    const auto& recordings = dataset.assemblies.at("repetitions");
    CHECK(core::sha1_of_file(recordings.path) == recordings.sha1);
}

TEST_CASE("the demo's recordings are of its stimuli, at least 60 neuroids a region") {
    const auto run = config::read_run(demo_folder().file("run.toml"), {});
    const auto& dataset = run.datasets.at("demo");
    const auto stimuli = io::read_stimulus_set(
        {"demo", dataset.stimuli.csv.path, dataset.stimuli.folder, dataset.stimuli.degrees()});
    const auto recordings = io::read_assembly(dataset.assemblies.at("repetitions").path);
    CHECK(core::dimension_size(recordings, "presentation") == 8 * stimuli.stimulus_ids.size());
    const auto shown = core::texts(recordings, "stimulus_id");
    CHECK(std::set<std::string>(shown.begin(), shown.end()) ==
          std::set<std::string>(stimuli.stimulus_ids.begin(), stimuli.stimulus_ids.end()));
    const auto regions = core::texts(recordings, "region");
    for (const auto& region : pipeline::demo_regions())
        CHECK(std::count(regions.begin(), regions.end(), region.name) >= 60);
}

TEST_CASE("a demo that is whole is left alone") {
    const auto& folder = demo_folder();
    const auto recordings = std::filesystem::last_write_time(folder.file("data/recordings.nc"));
    const auto digest = core::sha256_of_file(folder.file("run.toml"));
    pipeline::write_demo(folder.path().string());
    CHECK(std::filesystem::last_write_time(folder.file("data/recordings.nc")) == recordings);
    CHECK(core::sha256_of_file(folder.file("run.toml")) == digest);
}

TEST_CASE("an unfinished demo is written anew, to the same bytes") {
    const test::TemporaryFolder folder;
    std::filesystem::copy(demo_folder().path(), folder.path(),
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove(folder.file("data/images/demo_000.png"));
    write(folder.file("models/demo_random.ts"), "torn");
    write(folder.file("manifest.txt"), "ventral demo, unfinished\n");
    pipeline::write_demo(folder.path().string());
    for (const char* name : {"data/images/demo_000.png", "data/stimuli.csv", "data/recordings.nc",
                             "models/demo_designed.ts", "models/demo_random.ts", "run.toml"})
        CHECK(core::sha256_of_file(folder.file(name)) ==
              core::sha256_of_file(demo_folder().file(name)));
}

TEST_CASE("what is missing of a demo is written again, what was changed is not") {
    const test::TemporaryFolder folder;
    std::filesystem::copy(demo_folder().path(), folder.path(),
                          std::filesystem::copy_options::recursive);
    write(folder.file("models/demo_random.toml"), "a user's own\n");
    CHECK_THROWS_WITH(pipeline::write_demo(folder.path().string()),
                      Catch::Contains("demo_random.toml: is not as the demo wrote it"));
    CHECK(io::read_file(folder.file("models/demo_random.toml")) == "a user's own\n");
    std::filesystem::remove(folder.file("models/demo_random.toml"));
    pipeline::write_demo(folder.path().string());
    CHECK(core::sha256_of_file(folder.file("models/demo_random.toml")) ==
          core::sha256_of_file(demo_folder().file("models/demo_random.toml")));
}

TEST_CASE("the demo goes into no folder that holds anything else") {
    const test::TemporaryFolder folder;
    write(folder.file("thesis.tex"), "somebody's own\n");
    CHECK_THROWS_WITH(pipeline::write_demo(folder.path().string()),
                      Catch::Contains("is not empty") && Catch::Contains("thesis.tex"));
    CHECK_FALSE(std::filesystem::exists(folder.file("run.toml")));
}

TEST_CASE("a folder that cannot be made is an error that names it") {
    const test::TemporaryFolder folder;
    write(folder.file("taken"), "");
    CHECK_THROWS_WITH(pipeline::write_demo(folder.file("taken")),
                      Catch::Contains("taken") && Catch::Contains("cannot be made"));
}
