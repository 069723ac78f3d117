#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "io/text/stimulus_csv.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/extraction/averaged_activations.hpp"
#include "pipeline/extraction/extract.hpp"
#include "pipeline/run.hpp"
#include "stimuli/load_stimulus.hpp"
#include "stimuli/microsaccades.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run_in_time.hpp"
#include "support/team.hpp"
#include "support/torch_fixture.hpp"
#include "support/written_images.hpp"

using namespace ventral;
using test::Team;

namespace {

constexpr std::size_t trials = 3;
constexpr std::size_t pixels = 32;
constexpr std::size_t features = 3 * pixels * pixels;

/// A network whose first layer gives its input in the first step, and twice that in the second; the
/// second layer gives thrice as much.
void write_doubling_network(const std::string& path) {
    const test::ScriptedModule recurrent{"recurrent",
                                         "def forward(self, x):\n"
                                         "  flat = torch.flatten(x, 1)\n"
                                         "  return torch.stack([flat, torch.mul(flat, 2)], 1)\n",
                                         {},
                                         {},
                                         {}};
    const test::ScriptedModule thrice{
        "thrice", "def forward(self, x):\n  return torch.mul(x, 3)\n", {}, {}, {}};
    test::save_network({"root",
                        "def forward(self, x):\n"
                        "  return self.thrice.forward(self.recurrent.forward(x))\n",
                        {},
                        {recurrent, thrice},
                        {}},
                       path);
}

/// On a screen of one degree, so that microsaccades are parts of a pixel.
models::ModelRecord doubling_model(const std::string& folder) {
    models::ModelRecord model;
    model.identifier = "network";
    model.origin = "network.toml";
    model.weights_file = folder + "/network.ts";
    model.batch_size = 4;
    model.visual_degrees = 1;
    model.require_variance = true;
    model.candidate_layers = {"recurrent"};
    model.preprocessing.emplace();
    model.preprocessing->crop = pixels;
    model.time = {1, {{0, 50}, {50, 150}}};
    return model;
}

/// The stimuli of the small recordings.
core::StimulusSet write_doubling_source(comm::Communicator& world, const std::string& folder) {
    models::configure_torch();
    if (world.rank() == 0) {
        write_doubling_network(folder + "/network.ts");
        // Patterns that another place makes others.
        test::write_images(
            folder, core::texts(test::small_features(), "stimulus_id"), pixels,
            [](std::size_t i, std::size_t place) { return place * place % (97 + i); });
    }
    world.barrier();
    return io::read_stimulus_set({"images", folder + "/stimuli.csv", folder, 1});
}

/// What the network gives in its first step: the image as it is seen in a trial.
std::vector<float> seen(const models::ModelRecord& model, const core::StimulusSet& stimuli,
                        std::size_t image, std::size_t trial) {
    const auto shift = stimuli::microsaccades(trials, model.visual_degrees, pixels)[trial];
    const auto still = stimuli::load_stimulus(stimuli.files[image], 1, 1, *model.preprocessing);
    return stimuli::shifted(still, {3, pixels, pixels}, shift.x_pixels, shift.y_pixels);
}

}  // namespace

TEST_CASE("each trial of a network in time has all of its time bins") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto stimuli = write_doubling_source(world, folder);
        const auto model = doubling_model(folder);
        for (const int compression : {0, 3}) {
            Team team(world, folder, 2);
            team.context.kept.compression = compression;
            const auto path = folder + "/a.h5";
            pipeline::extract(
                {model, stimuli, {"recurrent"}, "key", path, benchmarks::Access::open, trials},
                team.context);
            if (world.rank() == 0) {
                const io::ActivationsFile file(path);
                REQUIRE(file.rows() == trials * stimuli.files.size());
                std::vector<float> row(2 * features);
                for (const std::size_t image : {0, 5, 39})
                    for (std::size_t trial = 0; trial < trials; ++trial) {
                        const auto expected = seen(model, stimuli, image, trial);
                        CHECK((trial == 0) == (expected == seen(model, stimuli, image, 0)));
                        file.read_block("recurrent", {image * trials + trial, 1, 0, features}, row);
                        CHECK(std::equal(expected.begin(), expected.end(), row.begin()));
                        CHECK(std::equal(expected.begin(), expected.end(), row.begin() + features,
                                         [](float one, float two) { return 2 * one == two; }));
                    }
                const auto labels = io::read_assembly(path, {{}, "recurrent"});
                CHECK(core::as_float64(core::coordinate(labels, "trial").values)[5 * trials + 2] ==
                      2);
            }
            world.barrier();
        }
    });
}

TEST_CASE("a run scores the average over the trials in the benchmark's time bins") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::small_run_in_time(folder);
        const auto stimuli = write_doubling_source(world, folder);
        const auto model = doubling_model(folder);
        if (world.rank() == 0) {
            // What those who have stored the averages would give: bins × stimuli turned.
            auto stored = test::small_features();
            stored.dims = {
                {"time_bin", 2}, {"presentation", stimuli.files.size()}, {"neuroid", features}};
            std::vector<float> values;
            for (const float factor : {1.F, 2.F})
                for (std::size_t image = 0; image < stimuli.files.size(); ++image) {
                    std::vector<double> sums(features, 0.0);
                    for (std::size_t trial = 0; trial < trials; ++trial) {
                        const auto one = seen(model, stimuli, image, trial);
                        for (std::size_t j = 0; j < features; ++j)
                            sums[j] += static_cast<double>(factor * one[j]);
                    }
                    for (const double sum : sums)
                        values.push_back(static_cast<float>(sum / static_cast<double>(trials)));
                }
            stored.values = values;
            stored.coordinates.erase(stored.coordinates.begin() + 1);  // layers
            stored.coordinates.push_back(
                {"time_bin_start", "time_bin", std::vector<std::int64_t>{0, 50}});
            stored.coordinates.push_back(
                {"time_bin_end", "time_bin", std::vector<std::int64_t>{50, 150}});
            io::write_assembly(folder + "/features.nc", stored);
        }
        world.barrier();
        auto run = test::small_run(folder);
        run.benchmarks = {test::small_benchmark_in_time("pertime_ridge")};
        run.benchmarks[0].number_of_trials = trials;
        run.benchmarks[0].time_bins = {{0, 50}, {50, 100}};
        run.datasets["small"].stimuli = {{folder + "/stimuli.csv", ""}, folder, 1.0};
        run.models.push_back(model);
        core::Workers workers(1);
        pipeline::RunOptions options;
        options.out = folder + "/out";
        CHECK(pipeline::run(run, options, world, workers).scored == 2);
        if (world.rank() != 0) return;
        const auto scores = test::recorded_scores(options.out);
        REQUIRE(scores.size() == 2);
        REQUIRE(scores[0].slices.size() == 2);
        for (std::size_t bin = 0; bin < 2; ++bin)
            CHECK(scores[0].slices[bin].raw_value == scores[1].slices[bin].raw_value);
        CHECK(scores[0].raw_value == scores[1].raw_value);
    });
}

TEST_CASE("a score in a bin in which the network does not answer fails without a pass") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::small_run_in_time(folder);
        write_doubling_source(world, folder);
        auto run = test::small_run(folder);
        run.models = {doubling_model(folder)};
        run.benchmarks = {test::small_benchmark_in_time("pertime_ridge")};
        run.datasets["small"].stimuli = {{folder + "/stimuli.csv", ""}, folder, 1.0};
        core::Workers workers(1);
        for (const double last : {100.0, 150.0}) {
            run.models[0].time->bins.back() = {50, last};
            pipeline::RunOptions options;
            options.out = folder + "/until" + std::to_string(static_cast<int>(last));
            const auto result = pipeline::run(run, options, world, workers);
            const bool answers = last == 150;  // as long as the recordings last
            CHECK((result.scored == 1) == answers);
            CHECK((result.failed == 1) == !answers);
            if (world.rank() == 0)
                CHECK(test::files_in(options.out + "/activations").empty() == !answers);
            world.barrier();
        }
    });
}

TEST_CASE("a layer with its Grams in all bins that are wanted is not extracted again") {
    const test::TemporaryFolder folder;
    const auto world = comm::make_serial();
    test::small_run_in_time(folder.path().string());
    write_doubling_source(*world, folder.path().string());
    auto run = test::small_run(folder.path().string());
    run.models = {doubling_model(folder.path().string())};
    run.models[0].candidate_layers = {"recurrent"};
    run.benchmarks = {test::small_benchmark_in_time("pertime_ridge")};
    run.benchmarks[0].time_bins = {{0, 50}, {50, 100}};
    run.datasets["small"].stimuli = {{folder.file("stimuli.csv"), ""}, folder.path().string(), 1.0};
    core::Workers workers(1);
    pipeline::RunOptions options;
    options.out = folder.file("out");
    const auto extracted_by_run = [&] {
        for (const char* part : {"/journal", "/activations"})
            std::filesystem::remove_all(options.out + part);
        pipeline::run(run, options, *world, workers);
        const auto files = test::files_in(options.out + "/activations");
        REQUIRE(files.size() == 1);
        std::vector<std::string> layers;
        const io::ActivationsFile file(options.out + "/activations/" + *files.begin());
        for (const auto& layer : file.layers()) layers.push_back(layer.name);
        return layers;
    };
    CHECK(extracted_by_run() == std::vector<std::string>{"recurrent"});
    run.models[0].candidate_layers.emplace_back("thrice");
    CHECK(extracted_by_run() == std::vector<std::string>{"thrice"});
    run.benchmarks[0].time_bins.push_back({100, 150});
    CHECK(extracted_by_run() == std::vector<std::string>{"recurrent", "thrice"});
}
