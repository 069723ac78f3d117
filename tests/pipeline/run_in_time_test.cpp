#include <filesystem>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "core/average_repetition.hpp"
#include "io/netcdf/assemblies_writer.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/score_assemblies.hpp"
#include "models/time_bins.hpp"
#include "pipeline/run.hpp"
#include "support/golden.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run_in_time.hpp"
#include "support/team.hpp"

using namespace ventral;

namespace {

constexpr std::size_t all_scores = 6;  // two layers on three benchmarks
/// Of sums in another order; r is at most 1.
constexpr double rounding = 1e-10;

pipeline::RunResult run_in(const std::string& out, const config::RunRecord& record,
                           comm::Communicator& world, std::size_t threads = 1) {
    core::Workers workers(threads);
    pipeline::RunOptions options;
    options.out = out;
    return pipeline::run(record, options, world, workers);
}

/// The bins of `small_recordings_in_time`, averaged over repetitions, in the order of time.
core::Assembly averaged_in_order() {
    return core::take(core::average_repetition(test::small_recordings_in_time()), "time_bin",
                      {2, 0, 1});
}

core::TimeBins small_bins() {
    core::TimeBins bins;
    for (const auto& [start, end] : test::small_bins) bins.push_back({start, end});
    return bins;
}

core::Assembly layer_of(const core::Assembly& features, const std::string& layer) {
    const auto labels = core::texts(features, "layer");
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < labels.size(); ++j)
        if (labels[j] == layer) columns.push_back(j);
    return core::take(features, "neuroid", columns);
}

/// What `ventral metric` gives for the layer's features in every bin.
core::Score directly(const core::Assembly& features, const std::string& layer,
                     const metrics::MetricOptions& metric) {
    core::Workers workers(2);
    return metrics::score_assemblies(
               {"", models::in_time_bins(layer_of(features, layer), small_bins())},
               {"", averaged_in_order()}, metric, {workers})
        .score;
}

metrics::MetricOptions metric_of(const core::ScoreRecord& record) {
    return test::small_benchmark(record.benchmark.substr(std::string("small-").size())).metric;
}

}  // namespace

namespace {

/// That a run in `folder` of the files there gives what `ventral metric` gives for `features`.
void check_run(comm::Communicator& world, const std::string& folder,
               const core::Assembly& features) {
    auto record = test::small_run(folder);
    record.benchmarks = {test::small_benchmark_in_time("pertime_ridge"),
                         test::small_benchmark_in_time("spantime_pls"),
                         test::small_benchmark_in_time("spantime_ridge")};
    const std::size_t threads = world.size() == 1 ? 2 : 1;
    CHECK(run_in(folder + "/out", record, world, threads).scored == all_scores);
    if (world.rank() != 0) return;
    const auto records = test::recorded_scores(folder + "/out");
    REQUIRE(records.size() == all_scores);
    for (const auto& score : records) {
        INFO(score.benchmark << " " << score.layer);
        const auto expected = directly(features, score.layer, metric_of(score));
        const auto values = core::as_float64(expected.value_array.value().values);
        const auto errors = core::as_float64(expected.error_array.value().values);
        REQUIRE(score.slices.size() == values.size());
        for (std::size_t bin = 0; bin < values.size(); ++bin) {
            CHECK(score.slices[bin].raw_value == Approx(values[bin]).margin(rounding));
            CHECK(score.slices[bin].error.value() == Approx(errors[bin]).margin(rounding));
        }
        CHECK(score.raw_dims == std::vector<std::string>{"split", "time_bin", "neuroid"});
        CHECK(score.raw_shape == std::vector<std::size_t>{10, 3, 5});
        CHECK(score.provenance.count("folds_by_rank") == 1);
    }
}

}  // namespace

TEST_CASE("a static model is scored as if it answered anew in every time bin") {
    std::string bits;
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::small_run_in_time(folder);
        world.barrier();
        check_run(world, folder, test::small_features());
        if (world.rank() != 0) return;
        // One Gram of a layer is enough for all bins and metrics.
        CHECK(test::files_in(folder + "/out/grams").size() == 2);
        // The same bits from one rank with two threads, and from two and three ranks.
        if (bits.empty()) bits = test::score_bits(folder + "/out");
        CHECK(bits == test::score_bits(folder + "/out"));
    });
}

TEST_CASE("features that change in time are brought into the bins of the recordings") {
    std::string bits;
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) {
            test::small_run_in_time(folder);
            io::write_assembly(folder + "/features.nc", test::small_features_in_time());
        }
        world.barrier();
        check_run(world, folder, test::small_features_in_time());
        if (world.rank() != 0) return;
        // Of each layer one for each bin apart, and one of all bins.
        CHECK(test::files_in(folder + "/out/grams").size() == 2 * 4);
        if (bits.empty()) bits = test::score_bits(folder + "/out");
        CHECK(bits == test::score_bits(folder + "/out"));
    });
}

TEST_CASE("a file of activations that change in time gives what an assembly of them gives") {
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        const auto features = test::small_features_in_time();
        if (world.rank() == 0) {
            test::small_run_in_time(folder);
            io::AssembliesWriter writer(folder + "/features.nc");
            for (const auto* layer : {"narrow", "wide"}) {
                auto of_layer = layer_of(features, layer);
                of_layer.name = layer;
                std::erase_if(of_layer.coordinates,
                              [](const auto& each) { return each.name == "layer"; });
                writer.add(of_layer);
            }
            writer.commit();
        }
        world.barrier();
        check_run(world, folder, features);
    });
}

TEST_CASE("a metric of one time bin takes the features of that bin") {
    const test::TemporaryFolder folder;
    auto record = test::small_run_in_time(folder.path().string());
    io::write_assembly(folder.file("features.nc"), test::small_features_in_time());
    record.benchmarks = {test::small_benchmark("pls")};
    record.benchmarks[0].time_bins = {{50, 100}};
    run_in(folder.file("out"), record, *comm::make_serial());
    const auto records = test::recorded_scores(folder.file("out"));
    REQUIRE(records.size() == 2);
    core::Workers workers(1);
    for (const auto& score : records) {
        const auto features = models::in_time_bins(
            layer_of(test::small_features_in_time(), score.layer), {{50, 100}});
        const auto target = core::take(averaged_in_order(), "time_bin", {1});
        const auto expected = metrics::score_assemblies({"", features}, {"", target},
                                                        record.benchmarks[0].metric, {workers})
                                  .score;
        CHECK(score.raw_value.value() == Approx(expected.value).margin(rounding));
        CHECK(score.slices.empty());
    }
}

TEST_CASE("a bin that the features do not cover fails its score and no other") {
    const test::TemporaryFolder folder;
    auto record = test::small_run_in_time(folder.path().string());
    io::write_assembly(folder.file("features.nc"),
                       core::take(test::small_features_in_time(), "time_bin", {0, 1, 2, 3}));
    record.benchmarks[1].time_bins = {{0, 50}, {50, 100}};
    const auto result = run_in(folder.file("out"), record, *comm::make_serial());
    CHECK(result.scored == 2);
    CHECK(result.failed == 4);
    for (const auto& score : test::recorded_scores(folder.file("out"))) {
        CHECK(score.failure.has_value() == (score.benchmark != "small-spantime_pls"));
        if (score.failure)
            CHECK_THAT(score.failure->reason, Catch::Contains("time bin 100 to 150 ms"));
    }
}

TEST_CASE("a feature that is NaN in one time bin is named with its stimulus and the bin") {
    const test::TemporaryFolder folder;
    const auto record = test::small_run_in_time(folder.path().string());
    auto features = test::small_features_in_time();
    // The third stimulus, feature 3 of the first layer, from 100 to 125 ms.
    const std::size_t place = (2 * features.dims[1].size + 3) * features.dims[2].size + 4;
    std::get<std::vector<float>>(features.values)[place] = std::numeric_limits<float>::quiet_NaN();
    io::write_assembly(folder.file("features.nc"), features);
    CHECK(run_in(folder.file("out"), record, *comm::make_serial()).failed == 3);
    for (const auto& score : test::recorded_scores(folder.file("out")))
        if (score.layer == test::narrow_layer)
            CHECK_THAT(score.failure.value().reason,
                       Catch::Contains("features.nc: layer 'narrow': feature 3 is NaN at stimulus "
                                       "'s37, 100 to 150 ms'"));
}

TEST_CASE("features that change in time need recordings in time") {
    const test::TemporaryFolder folder;
    test::write_small_data(folder.path().string());
    io::write_assembly(folder.file("features.nc"), test::small_features_in_time());
    const auto record = test::small_run(folder.path().string());
    CHECK(run_in(folder.file("out"), record, *comm::make_serial()).failed == 4);
    for (const auto& score : test::recorded_scores(folder.file("out")))
        CHECK_THAT(score.failure.value().reason, Catch::Contains("change in time"));
}

TEST_CASE("a temporal model's scores are the reference's") {
    const auto source = test::golden_path("spantime/source.nc");
    if (!source) return;
    const test::TemporaryFolder folder;
    auto record = test::small_run(folder.path().string());
    record.models[0].features.path = *source;
    record.datasets["small"].assemblies = {
        {"target", {*test::golden_path("spantime/target.nc"), ""}}};
    record.benchmarks.clear();
    for (const char* metric : {"pertime_ridge", "spantime_pls", "spantime_ridge"}) {
        auto benchmark = test::small_benchmark(metric);
        benchmark.metric = {};
        benchmark.metric.name = metric;
        benchmark.ceiling.name = "none";
        benchmark.normalisation = "none";
        record.benchmarks.push_back(benchmark);
    }
    run_in(folder.file("out"), record, *comm::make_serial());
    const auto records = test::recorded_scores(folder.file("out"));
    REQUIRE(records.size() == 3);
    for (const auto& score : records) {
        const auto metric = score.benchmark.substr(std::string("small-").size());
        const auto expected = *test::golden("spantime/expected." + metric + ".json");
        REQUIRE(score.slices.size() == 4);
        for (std::size_t bin = 0; bin < 4; ++bin) {
            INFO(metric << " " << score.slices[bin].name);
            CHECK(test::is_golden(score.slices[bin].raw_value,
                                  expected.at("value").at("values").at(bin), 1e-9));
            CHECK(test::is_golden(score.slices[bin].error.value(),
                                  expected.at("error").at("values").at(bin), 1e-9));
        }
    }
}

TEST_CASE("each time bin is normalised by its own ceiling, fresh or from disk") {
    const test::TemporaryFolder folder;
    const auto record = test::small_run_in_time(folder.path().string());
    const auto out = folder.file("out");
    run_in(out, record, *comm::make_serial());
    core::Workers workers(1);
    const auto ceiling =
        metrics::find_ceiling("internal_consistency_temporal")
            .compute(core::take(test::small_recordings_in_time(), "time_bin", {2, 0, 1}), workers);
    const auto limits = core::as_float64(ceiling.value_array.value().values);
    const auto check = [&](const core::ScoreRecord& score) {
        REQUIRE(score.slices.size() == 3);
        double sum = 0;
        for (std::size_t bin = 0; bin < 3; ++bin) {
            const auto& slice = score.slices[bin];
            CHECK(slice.ceiling.value() == limits[bin]);
            CHECK(slice.ceiling_error.has_value());
            CHECK(slice.value == slice.raw_value * slice.raw_value / limits[bin]);
            sum += slice.value;
        }
        CHECK(score.slices[0].name == "0 to 50 ms");
        CHECK(score.slices[2].name == "100 to 150 ms");
        CHECK(score.value.value() == Approx(sum / 3).epsilon(1e-15));
        CHECK(score.ceiling.value().value == ceiling.value);
    };
    for (const auto& score : test::recorded_scores(out)) check(score);
    std::filesystem::remove_all(out + "/journal");
    run_in(out, record, *comm::make_serial());
    const auto again = test::recorded_scores(out);
    CHECK(again.size() == all_scores);
    for (const auto& score : again) check(score);
}

TEST_CASE("the bins that a benchmark lists are the ones that it scores, in the order of time") {
    const test::TemporaryFolder folder;
    auto record = test::small_run_in_time(folder.path().string());
    record.benchmarks = {test::small_benchmark_in_time("spantime_ridge")};
    record.benchmarks[0].time_bins = {{100, 150}, {0, 50}};
    run_in(folder.file("out"), record, *comm::make_serial());
    const auto records = test::recorded_scores(folder.file("out"));
    REQUIRE(records.size() == 2);
    REQUIRE(records[0].slices.size() == 2);
    CHECK(records[0].slices[0].name == "0 to 50 ms");
    CHECK(records[0].slices[1].name == "100 to 150 ms");
}

TEST_CASE("in one time bin the metrics that take several give the bits of those that take one") {
    const test::TemporaryFolder folder;
    auto record = test::small_run_in_time(folder.path().string());
    record.benchmarks.push_back(test::small_benchmark("ridge"));
    record.benchmarks.push_back(test::small_benchmark("pls"));
    for (auto& benchmark : record.benchmarks) benchmark.time_bins = {{50, 100}};
    run_in(folder.file("out"), record, *comm::make_serial());
    std::map<std::string, core::ScoreRecord> narrow;
    for (const auto& score : test::recorded_scores(folder.file("out")))
        if (score.layer == test::narrow_layer) narrow[score.benchmark] = score;
    REQUIRE(narrow.size() == 5);
    const auto same = [&](const std::string& several, const std::string& one) {
        const auto& slices = narrow.at("small-" + several).slices;
        REQUIRE(slices.size() == 1);
        CHECK(slices[0].raw_value == narrow.at("small-" + one).raw_value);
        CHECK(slices[0].value == narrow.at("small-" + one).value);
        CHECK(slices[0].error == narrow.at("small-" + one).error);
    };
    same("pertime_ridge", "ridge");
    same("spantime_ridge", "ridge");
    same("spantime_pls", "pls");
}

TEST_CASE("a score that was stopped between fold groups ends with the same bits") {
    const test::TemporaryFolder folder;
    const auto record = test::small_run_in_time(folder.path().string());
    const bool changing = GENERATE(false, true);
    if (changing) io::write_assembly(folder.file("features.nc"), test::small_features_in_time());
    const auto out = folder.file("out");
    run_in(out, record, *comm::make_serial());
    const auto bits = test::score_bits(out);
    // As after a crash: no score is written, and of the fold groups only some (with a fit for each
    // bin number 3 is the second of the second bin).
    test::drop_journal_lines(out, [](const std::string& line) {
        return line.find("\"kind\":\"score\"") != std::string::npos ||
               (line.find("\"group\":0") == std::string::npos &&
                line.find("\"group\":3") == std::string::npos);
    });
    run_in(out, record, *comm::make_serial());
    CHECK(test::recorded_scores(out).size() == all_scores);
    CHECK(test::score_bits(out) == bits);
}
