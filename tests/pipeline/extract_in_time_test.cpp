#include <map>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "io/text/stimulus_csv.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/extraction/averaged_activations.hpp"
#include "pipeline/extraction/extract.hpp"
#include "pipeline/outlook/probe.hpp"
#include "pipeline/outlook/unit_work.hpp"
#include "pipeline/run.hpp"
#include "support/golden.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run_in_time.hpp"
#include "support/team.hpp"
#include "support/torch_fixture.hpp"
#include "support/written_images.hpp"

using namespace ventral;
using test::Team;

namespace {

/// A network that answers image number i, uniform pixels of grey value i, with row i of a table of
/// presentation × neuroid × time bin.
void write_table_network(const std::string& path, const core::Assembly& table) {
    std::vector<std::int64_t> shape;
    for (const auto& dim : table.dims) shape.push_back(static_cast<std::int64_t>(dim.size));
    const test::ScriptedModule recurrent{
        "recurrent",
        "def forward(self, x):\n"
        "  return torch.index_select(self.table, 0, torch.to(torch.round(torch.mul("
        "torch.flatten(torch.select(torch.select(torch.select(x, 1, 0), 1, 0), 1, 0)), 255)), "
        "4))\n",
        {{"table", shape, std::get<std::vector<float>>(table.values)}},
        {},
        {}};
    const test::ScriptedModule still{
        "still", "def forward(self, x):\n  return torch.mul(x, 1)\n", {}, {}, {}};
    test::save_network({"root",
                        "def forward(self, x):\n"
                        "  return self.recurrent.forward(self.still.forward(x))\n",
                        {},
                        {recurrent, still},
                        {}},
                       path);
}

core::TimeBins bins_of(const core::Assembly& assembly) {
    const auto starts = core::as_float64(core::coordinate(assembly, "time_bin_start").values);
    const auto ends = core::as_float64(core::coordinate(assembly, "time_bin_end").values);
    core::TimeBins bins;
    for (std::size_t b = 0; b < starts.size(); ++b) bins.push_back({starts[b], ends[b]});
    return bins;
}

models::ModelRecord network_in_time(const std::string& folder, const core::Assembly& table) {
    models::ModelRecord model;
    model.identifier = "network";
    model.origin = "network.toml";
    model.weights_file = folder + "/network.ts";
    model.batch_size = 4;
    model.candidate_layers = {"recurrent"};
    model.preprocessing.emplace();
    model.preprocessing->crop = 4;
    model.time = {2, bins_of(table)};
    return model;
}

/// Layer "wide" of the small features in time.
core::Assembly small_table() {
    const auto features = test::small_features_in_time();
    const auto labels = core::texts(features, "layer");
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < labels.size(); ++j)
        if (labels[j] == test::wide_layer) columns.push_back(j);
    return core::take(features, "neuroid", columns);
}

/// The network and the images of a table, which all ranks share.
core::StimulusSet write_source(comm::Communicator& world, const std::string& folder,
                               const core::Assembly& table) {
    models::configure_torch();
    if (world.rank() == 0) {
        write_table_network(folder + "/network.ts", table);
        test::write_images(folder, core::texts(table, "stimulus_id"), 4,
                           [](std::size_t i, std::size_t) { return i; });
    }
    world.barrier();
    return io::read_stimulus_set({"images", folder + "/stimuli.csv", folder, 8});
}

}  // namespace

TEST_CASE("the answers of a network in time are a dimension of the activations") {
    std::map<std::string, std::vector<float>> values;
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        const auto table = small_table();
        const auto stimuli = write_source(world, folder, table);
        const auto model = network_in_time(folder, table);
        for (const int compression : {0, 3}) {
            Team team(world, folder, 2);
            team.context.kept.compression = compression;
            const auto path = folder + "/a.h5";
            pipeline::extract({model, stimuli, {"recurrent"}, "key", path}, team.context);
            if (world.rank() == 0) {
                io::ActivationsFile(path).verify("recurrent");
                const auto read = io::read_assembly(path, {{}, "recurrent"});
                REQUIRE(read.dims.size() == 3);
                CHECK(read.dims[1].name == "time_bin");
                CHECK(core::texts(read, "stimulus_id") == core::texts(table, "stimulus_id"));
                CHECK(core::as_float64(core::coordinate(read, "time_bin_end").values) ==
                      std::vector<double>{25, 50, 75, 100, 125, 150});
                const auto order = core::transpose(read, {"presentation", "neuroid", "time_bin"});
                CHECK(std::get<std::vector<float>>(order.values) ==
                      std::get<std::vector<float>>(table.values));
            }
            world.barrier();
        }
    });
}

TEST_CASE("a layer that has no such time is an error that names it") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    const auto table = small_table();
    const auto stimuli = write_source(*serial, folder.path().string(), table);
    auto model = network_in_time(folder.path().string(), table);
    model.time->bins.pop_back();
    Team team(*serial, folder.path().string());
    CHECK_THROWS_WITH(pipeline::extract({model, stimuli, {"recurrent"}, "key", folder.file("a.h5")},
                                        team.context),
                      Catch::Contains("network.toml: layer 'recurrent' gives [batch x 90 x 6]"));
    CHECK_THROWS_WITH(
        pipeline::probe_network(model, stimuli, benchmarks::Access::open, {"recurrent"}),
        Catch::Contains("5 bins for axis 2"));
}

TEST_CASE("a network's time bins are aligned as the reference aligns them") {
    const auto recording = test::golden_path("temporal/recording_float32.nc");
    const auto expected =
        test::golden("temporal/expected.assembly_time_align-float32-portion.json");
    if (!recording || !expected) return;
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    const auto table = io::read_assembly(*recording);
    const auto stimuli = write_source(*serial, folder.path().string(), table);
    const auto model = network_in_time(folder.path().string(), table);
    Team team(*serial, folder.path().string());
    pipeline::extract({model, stimuli, {"recurrent"}, "key", folder.file("a.h5")}, team.context);
    const io::ActivationsFile file(folder.file("a.h5"));
    const pipeline::AveragedActivations averages(file, 1, {{10, 90}, {0, 40}, {70, 170}, {0, 240}});
    constexpr std::size_t images = 9, neuroids = 5, bins = 4;
    REQUIRE(averages.rows() == images * bins);
    std::vector<float> values(averages.rows() * neuroids);
    averages.read_columns("recurrent", 0, neuroids, values);
    for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < neuroids; ++j)
            for (std::size_t b = 0; b < bins; ++b)
                CHECK(values[(b * images + i) * neuroids + j] ==
                      expected->at("values")[i][j][b].get<float>());
}

TEST_CASE(
    "a run scores a network in time as it scores the same features in a file, layer by layer") {
    std::string bits;
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        const auto table = small_table();
        if (world.rank() == 0) {
            test::small_run_in_time(folder);
            io::write_assembly(folder + "/features.nc", test::small_features_in_time());
        }
        write_source(world, folder, table);
        auto run = test::small_run(folder);
        run.benchmarks = {test::small_benchmark_in_time("pertime_ridge"),
                          test::small_benchmark_in_time("spantime_pls")};
        run.datasets["small"].stimuli = {{folder + "/stimuli.csv", ""}, folder, 8.0};
        run.models[0].candidate_layers = {test::wide_layer};
        run.models.push_back(network_in_time(folder, table));
        run.models[1].candidate_layers = {"recurrent", "still"};
        core::Workers workers(2);
        pipeline::RunOptions options;
        options.out = folder + "/out";
        const auto result = pipeline::run(run, options, world, workers);
        CHECK(result.scored == 4);
        CHECK(result.failed == 2);
        if (world.rank() != 0) return;
        std::map<std::string, std::vector<core::ScoreRecord>> by_benchmark;
        for (const auto& score : test::recorded_scores(options.out))
            if (score.layer != "still")
                by_benchmark[score.benchmark].push_back(score);
            else
                CHECK_THAT(score.failure.value().reason,
                           Catch::Contains("layer 'still' gives [batch x 3 x 4 x 4]"));
        for (const auto& [name, scores] : by_benchmark) {
            REQUIRE(scores.size() == 2);
            REQUIRE(scores[0].slices.size() == 3);
            CHECK(scores[0].raw_value == scores[1].raw_value);
            for (std::size_t bin = 0; bin < 3; ++bin)
                CHECK(scores[0].slices[bin].raw_value == scores[1].slices[bin].raw_value);
        }
        if (bits.empty()) bits = test::score_bits(options.out);
        CHECK(bits == test::score_bits(options.out));
    });
}

TEST_CASE("a network in time has the components of the same features in a file") {
    std::string bits;
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        const auto table = small_table();
        if (world.rank() == 0) {
            test::small_run_in_time(folder);
            io::write_assembly(folder + "/features.nc", test::small_features_in_time());
            std::ofstream(folder + "/photos.csv")
                << "stimulus_id,filename\na,image3.png\nb,image20.png\nc,image7.png\n";
            io::write_assembly(folder + "/photos.nc", core::take(test::small_features_in_time(),
                                                                 "presentation", {3, 20, 7}));
        }
        write_source(world, folder, table);
        auto run = test::small_run(folder);
        run.benchmarks = {test::small_benchmark_in_time("pertime_ridge"),
                          test::small_benchmark_in_time("spantime_pls")};
        run.datasets["small"].stimuli = {{folder + "/stimuli.csv", ""}, folder, 8.0};
        run.datasets["photos"].identifier = "photos";
        run.datasets["photos"].stimuli = {{folder + "/photos.csv", ""}, folder, 8.0};
        run.models[0].candidate_layers = {test::wide_layer};
        // Three images in six time bins, with the last component beyond their rank.
        run.models[0].pca = models::PcaRecord{18, "", {folder + "/photos.nc", ""}};
        run.models.push_back(network_in_time(folder, table));
        run.models[1].pca = models::PcaRecord{18, "photos"};
        core::Workers workers(2);
        pipeline::RunOptions options;
        options.out = folder + "/out";
        CHECK(pipeline::run(run, options, world, workers).scored == 4);
        if (world.rank() != 0) return;
        std::map<std::string, std::vector<core::ScoreRecord>> by_benchmark;
        for (const auto& score : test::recorded_scores(options.out))
            by_benchmark[score.benchmark].push_back(score);
        for (const auto& [name, scores] : by_benchmark) {
            REQUIRE(scores.size() == 2);
            CHECK(scores[0].provenance.at("projection") != scores[1].provenance.at("projection"));
            REQUIRE(scores[0].slices.size() == 3);
            for (std::size_t bin = 0; bin < 3; ++bin)
                CHECK(scores[0].slices[bin].raw_value == scores[1].slices[bin].raw_value);
        }
        if (bits.empty()) bits = test::score_bits(options.out);
        CHECK(bits == test::score_bits(options.out));
    });
}

TEST_CASE("a plan knows what a network in time and its PCA need") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    test::small_run_in_time(folder.path().string());
    const auto table = small_table();  // 90 features in six bins
    write_source(*serial, folder.path().string(), table);
    auto run = test::small_run(folder.path().string());
    run.benchmarks = {test::small_benchmark_in_time("pertime_ridge")};
    run.benchmarks[0].time_bins = {{0, 50}, {50, 100}};
    run.datasets["small"].stimuli = {{folder.file("stimuli.csv"), ""}, folder.path().string(), 8.0};
    run.datasets["photos"].stimuli = {{folder.file("photos.csv"), ""}, folder.path().string(), 8.0};
    std::ofstream(folder.file("photos.csv"))
        << "stimulus_id,filename\na,image3.png\nb,image7.png\n";
    run.models = {network_in_time(folder.path().string(), table)};
    run.models[0].pca = models::PcaRecord{10, "photos"};
    const auto facts = pipeline::gather_facts(run);
    const auto plan = pipeline::make_plan(run, facts, {});
    const pipeline::Finished finished;
    const auto estimate = pipeline::estimate_units(run, plan, finished, {1e9, 1, 1}).at(0);
    CHECK(estimate.problem.empty());
    CHECK(estimate.fitting_rows == 2 * 6);
    constexpr double activations = (40 + 2) * 6 * 90 * 4;
    constexpr double projection = 40 * 6 * 10 * 8;
    CHECK(estimate.activation_bytes == activations + projection);
    pipeline::Checkpoints checkpoints;
    pipeline::RecordingsReader recordings(run);
    const auto work = pipeline::unit_work(plan.units.at(0), estimate,
                                          {run, facts, finished, checkpoints, recordings});
    REQUIRE(work.passes.size() == 2);
    CHECK(work.images() == 40 + 2);
    // A Gram of 12 rows with its eigenvectors, 240 rows projected on few components.
    CHECK(work.gram_flops == 12. * 13 * 90 + 9. * 12 * 12 * 12 + 2. * 240 * 12 * 90);
    CHECK(work.written_bytes > activations + projection);
}
