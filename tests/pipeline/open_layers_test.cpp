#include "pipeline/extraction/open_layers.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/small_facts.hpp"
#include "support/small_run_in_time.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::InTime;

namespace {

using Bins = core::TimeBins;

/// The small run in time: two layers on a metric of each bin apart and two of all bins.
struct Planned {
    Planned()
        : run(test::small_run_in_time(folder.path().string())),
          unit(pipeline::make_plan(run, test::small_facts(run), {}).units.at(0)) {}

    std::vector<pipeline::OpenLayer> open(InTime in_time) {
        pipeline::RecordingsReader recordings(run);
        for (const auto benchmark : pipeline::benchmarks_of(unit)) prepare(recordings, benchmark);
        return pipeline::open_layers(run, unit, finished, recordings, in_time);
    }

    /// As far as it can be scored.
    static void prepare(pipeline::RecordingsReader& recordings, std::size_t benchmark) {
        try {
            recordings.prepared(benchmark);
        } catch (const core::InputError&) {
            REQUIRE_FALSE(recordings.is_prepared(benchmark));
        }
    }

    test::TemporaryFolder folder;
    config::RunRecord run;
    pipeline::PlannedUnit unit;
    pipeline::Finished finished;
};

}  // namespace

TEST_CASE("a layer whose features do not change has one Gram for all scores") {
    Planned planned;
    const auto layers = planned.open(InTime::still);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].name == test::narrow_layer);
    CHECK(layers[1].grams == std::vector<Bins>{{}});
}

TEST_CASE("a layer in time has a Gram for each bin apart, and one of all for what spans them") {
    Planned planned;
    const auto layers = planned.open(InTime::changing);
    REQUIRE(layers.size() == 2);
    CHECK(layers[1].name == test::wide_layer);
    CHECK(
        layers[1].grams ==
        std::vector<Bins>{{{0, 50}}, {{50, 100}}, {{100, 150}}, {{0, 50}, {50, 100}, {100, 150}}});
}

TEST_CASE("what looks at single features needs them, and no Gram") {
    Planned planned;
    for (auto& benchmark : planned.run.benchmarks) benchmark.metric.name = "neuron_to_neuron";
    for (const auto& layer : planned.open(InTime::still)) {
        CHECK(layer.columns);
        CHECK(layer.grams.empty());
    }
    planned.run.benchmarks[0].metric.name = "ridge";
    const auto layers = planned.open(InTime::still);
    CHECK(layers[0].columns);
    CHECK(layers[0].grams == std::vector<Bins>{{}});
}

TEST_CASE("what is finished needs nothing any more, nor does what cannot be scored") {
    Planned planned;
    for (const auto& score : planned.unit.scores)
        if (score.layers.front() == test::narrow_layer ||
            planned.run.benchmarks[score.benchmark].metric.name == "pertime_ridge")
            planned.finished.scores[score.key] = core::ScoreStatus::scored;
    const auto layers = planned.open(InTime::changing);
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].name == test::wide_layer);
    CHECK(layers[0].grams.size() == 1);
    for (auto& benchmark : planned.run.benchmarks) benchmark.time_bins = {{500, 600}};
    CHECK(planned.open(InTime::changing).at(0).grams.empty());
}

TEST_CASE("recordings that are not prepared need no Gram of what changes in time") {
    const Planned planned;
    pipeline::RecordingsReader recordings(planned.run);
    const auto layers = pipeline::open_layers(planned.run, planned.unit, planned.finished,
                                              recordings, InTime::changing);
    CHECK(layers.size() == 2);
    for (const auto& layer : layers) CHECK(layer.grams.empty());
}
