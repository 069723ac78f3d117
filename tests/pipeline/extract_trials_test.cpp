#include <fstream>

#include <catch2/catch.hpp>

#include "config/model_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/extraction/averaged_activations.hpp"
#include "pipeline/extraction/extract.hpp"
#include "pipeline/run.hpp"
#include "stimuli/load_stimulus.hpp"
#include "stimuli/microsaccades.hpp"
#include "support/extraction_source.hpp"
#include "support/golden.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using test::Team;

namespace {

constexpr std::size_t trials = 3;
constexpr std::size_t features = 26;  // of stage7
constexpr auto pixels = models::demo_input_pixels;

struct Source : test::ExtractionSource {
    using ExtractionSource::ExtractionSource;

    pipeline::ExtractRequest request(const std::string& path, std::size_t number) const {
        return {model, stimuli, {"stage7"}, "key", path, benchmarks::Access::open, number};
    }
};

std::vector<float> stage7_of(const std::string& path) {
    const io::ActivationsFile file(path);
    std::vector<float> values(file.rows() * features);
    file.read_columns("stage7", 0, features, values);
    return values;
}

std::vector<float> row_of(const std::vector<float>& rows, std::size_t row) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * features);
    return {begin, begin + features};
}

/// What the network gives for images 4 to 7, the second pass, in one trial.
std::vector<float> second_pass(const Source& source, const stimuli::Microsaccade& shift) {
    std::vector<float> batch;
    for (std::size_t i = 4; i < 8; ++i) {
        const auto image =
            stimuli::load_stimulus(source.stimuli.files[i], 8, 8, *source.model.preprocessing);
        const auto moved =
            stimuli::shifted(image, {3, pixels, pixels}, shift.x_pixels, shift.y_pixels);
        batch.insert(batch.end(), moved.begin(), moved.end());
    }
    const models::LayerRecorder recorder(models::Network::load(source.model.weights_file),
                                         {"stage7"});
    return recorder.record(batch, {4, 3, pixels, pixels})[0].values;
}

}  // namespace

TEST_CASE("the trials of a batch are passes of the network with the images at other places") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder);
        pipeline::extract(source.request(folder + "/one.h5", 1), team.context);
        pipeline::extract(source.request(folder + "/all.h5", trials), team.context);
        if (world.rank() != 0) return;
        const auto one = stage7_of(folder + "/one.h5");
        const auto all = stage7_of(folder + "/all.h5");
        REQUIRE(all.size() == trials * one.size());
        for (std::size_t i = 0; i < test::network_stimuli; ++i) {
            CHECK(row_of(all, i * trials) == row_of(one, i));
            CHECK(row_of(all, i * trials + 1) != row_of(one, i));
        }
        const auto shifts = stimuli::microsaccades(trials, 8, pixels);
        for (std::size_t trial = 0; trial < trials; ++trial) {
            const auto expected = second_pass(source, shifts[trial]);
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(row_of(all, (4 + i) * trials + trial) == row_of(expected, i));
        }
        const auto labels = io::read_assembly(folder + "/all.h5", {{}, "stage7"});
        CHECK(core::texts(labels, "stimulus_id")[4] == "i1");
        CHECK(core::as_float64(core::coordinate(labels, "trial").values)[5] == 2);
        CHECK(
            core::as_float64(core::coordinate(labels, "microsaccade_shift_y_degrees").values)[5] ==
            shifts[2].y_degrees);
    });
}

TEST_CASE("neither ranks nor threads nor compression change a bit of the trials") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder, 3);
        pipeline::extract(source.request(folder + "/plain.h5", trials), team.context);
        team.context.kept.compression = 4;
        pipeline::extract(source.request(folder + "/small.h5", trials), team.context);
        if (world.rank() != 0) return;
        const auto serial = comm::make_serial();
        Team alone(*serial, folder);
        pipeline::extract(source.request(folder + "/alone.h5", trials), alone.context);
        CHECK(stage7_of(folder + "/plain.h5") == stage7_of(folder + "/alone.h5"));
        CHECK(stage7_of(folder + "/small.h5") == stage7_of(folder + "/alone.h5"));
    });
}

TEST_CASE("a model file gives the reference's microsaccades") {
    const auto expected = test::golden("activations/expected.microsaccades.json");
    const auto image = test::golden_path("activations/im0.png");
    if (!expected || !image) return;
    models::configure_torch();
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("model.toml"))
        << "identifier = 'pixels'\nbuiltin = 'pixels'\nvisual_degrees = 8\nbatch_size = 4\n"
           "require_variance = true\n[preprocessing]\nresize = [32, 32]\n"
           "mean = [0.485, 0.456, 0.406]\nstd = [0.229, 0.224, 0.225]\n";
    const auto model = config::read_model_file(folder.file("model.toml"), {}).record;
    core::StimulusSet stimuli{"golden", {"im0"}, {*image}, {8.0}, {}};
    benchmarks::BenchmarkRecord benchmark;
    benchmark.number_of_trials = expected->at("number_of_trials").get<std::size_t>();
    const auto serial = comm::make_serial();
    Team team(*serial, folder.path().string());
    const auto path = folder.file("a.h5");
    pipeline::extract({model,
                       stimuli,
                       {"pixels"},
                       "key",
                       path,
                       benchmarks::Access::open,
                       pipeline::trials_of(model, benchmark)},
                      team.context);
    const auto rows = io::read_assembly(path, {{}, "pixels"});
    CHECK(std::get<std::vector<float>>(rows.values) ==
          std::get<std::vector<float>>(
              io::read_assembly(*test::golden_path("activations/microsaccades.h5"), {"shifted", {}})
                  .values));
    for (const std::string unit : {"pixels", "degrees"})
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const auto name = std::string("microsaccade_shift_") + "xy"[axis] + "_" + unit;
            const auto shifts = core::as_float64(core::coordinate(rows, name).values);
            REQUIRE(shifts.size() == expected->at(unit).size());
            for (std::size_t trial = 0; trial < shifts.size(); ++trial)
                CHECK(shifts[trial] ==
                      Approx(expected->at(unit)[trial][axis].get<double>()).margin(1e-15));
        }
}

namespace {

/// Recordings of the small network's images.
void write_recordings(const std::string& path) {
    core::Assembly recordings;
    recordings.dims = {{"presentation", test::network_stimuli}, {"neuroid", 2}};
    std::vector<double> values;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < test::network_stimuli; ++i) {
        ids.push_back("i" + std::to_string(i));
        values.push_back(static_cast<double>(i * i % 7));
        values.push_back(static_cast<double>(i * 3 % 5));
    }
    recordings.values = values;
    recordings.coordinates = {{"stimulus_id", "presentation", ids},
                              {"neuroid_id", "neuroid", std::vector<std::string>{"a", "b"}}};
    io::write_assembly(path, recordings);
}

/// The small network on a benchmark of three trials.
config::RunRecord scored_run(const std::string& folder) {
    auto run = test::small_network_run(folder);
    run.datasets["images"].assemblies["target"] = {folder + "/recordings.nc", ""};
    auto benchmark = test::small_benchmark("ridge");
    benchmark.dataset = "images";
    benchmark.ceiling.name = "none";
    benchmark.normalisation = "none";
    benchmark.number_of_trials = trials;
    run.benchmarks = {benchmark};
    run.models[0].candidate_layers = {"stage7"};
    run.models[0].require_variance = true;
    return run;
}

/// The averages over the trials of an activations file, as features that somebody has stored.
void store_averages(const std::string& activations, const std::string& path) {
    const io::ActivationsFile file(activations);
    const pipeline::AveragedActivations averages(file, trials);
    std::vector<float> values(averages.rows() * features);
    averages.read_columns("stage7", 0, features, values);
    const auto ids = file.stimulus_ids();
    std::vector<std::string> own;
    for (std::size_t row = 0; row < ids.size(); row += trials) own.push_back(ids[row]);
    core::Assembly stored;
    stored.dims = {{"presentation", own.size()}, {"neuroid", features}};
    stored.values = values;
    stored.coordinates = {{"stimulus_id", "presentation", own}};
    io::write_assembly(path, stored);
}

}  // namespace

TEST_CASE("a run scores the average over the trials, and shows its trials to one pass each") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder);
        pipeline::extract(source.request(folder + "/all.h5", trials), team.context);
        if (world.rank() == 0) {
            write_recordings(folder + "/recordings.nc");
            store_averages(folder + "/all.h5", folder + "/stored.nc");
        }
        world.barrier();
        auto run = scored_run(folder);
        run.models.push_back(run.models[0]);
        run.models[1].identifier = "stored";
        run.models[1].weights_file.clear();
        run.models[1].features.path = folder + "/stored.nc";
        run.models[1].candidate_layers = {"features"};
        run.models[1].require_variance = false;
        core::Workers workers(1);
        pipeline::RunOptions options;
        options.out = folder + "/out";
        CHECK(pipeline::run(run, options, world, workers).scored == 2);
        if (world.rank() != 0) return;
        const auto scores = test::recorded_scores(folder + "/out");
        REQUIRE(scores.size() == 2);
        REQUIRE(scores[0].raw_value);
        CHECK(scores[0].raw_value == scores[1].raw_value);
        CHECK(scores[0].error == scores[1].error);
    });
}
