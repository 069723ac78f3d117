#include "pipeline/simulation/measured_stages.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/watch/stage_report.hpp"
#include "support/small_facts.hpp"

using namespace ventral;

namespace {

/// A network with 40 stimuli in batches of 16 and two layers, each on two benchmarks.
struct Measured {
    Measured() : run(test::small_run("nowhere")), facts(test::small_facts(run)) {
        run.models[0].features.path.clear();
        run.models[0].batch_size = 16;
        facts.datasets["small"].stimuli_key = "stimuli";
        facts.datasets["small"].stimuli = 40;
        run.layers = config::LayerChoice::all;
        plan = pipeline::make_plan(run, facts, {});
        for (const auto& score : plan.units.at(0).scores) {
            auto record = pipeline::planned_record(run, plan.units[0], score);
            const bool first = record.layer == test::narrow_layer;
            record.timing = {{"extraction", first ? 8.0 : 0.0},
                             {"features_and_gram", first ? 10.0 : 3.0},
                             {"fit", 6.0}};
            record.provenance = {{"ranks", "1"}, {"threads", "1"}, {"folds_by_rank", "0:8"}};
            records.push_back(record);
        }
    }
    auto stages() const { return pipeline::measured_stages(run, facts, plan, records); }

    config::RunRecord run;
    pipeline::InputFacts facts;
    pipeline::RunPlan plan;
    std::vector<core::ScoreRecord> records;
};

}  // namespace

TEST_CASE("features count once for a layer, fold groups for every score") {
    const auto stages = Measured().stages();
    REQUIRE(stages.size() == 1);
    CHECK(stages[0].extract == 8);
    CHECK(stages[0].batches == 3);
    CHECK(stages[0].gram == 5);                                   // 10 - 8, and 3
    CHECK(stages[0].fold_groups == std::vector<double>(8, 3.0));  // two of each of four scores
}

TEST_CASE("units without scores in the records are left out") {
    Measured measured;
    measured.records.clear();
    CHECK(measured.stages().empty());
}

TEST_CASE("seconds of several workers are refused") {
    Measured measured;
    measured.records[1].provenance["ranks"] = "2";
    CHECK_THROWS_AS(measured.stages(), core::InputError);
}

TEST_CASE("what a job took beside its units is the rest of its one start") {
    const Measured measured;
    auto units = measured.stages();  // 8 + 5 + 24
    pipeline::RunPlan plan = measured.plan;
    plan.ceilings.resize(2);
    // extract, Gram, fit, ceilings, wait, I/O
    const pipeline::RankTimes rank{"host", {7, 5, 24, 6, 0, 1}, 45};
    const auto line = pipeline::times_json({rank});
    const auto job = pipeline::measured_job({R"({"kind":"score"})", line}, plan, units);
    REQUIRE(job);
    CHECK(job->ceilings == std::vector<double>{3, 3});
    CHECK(job->rest == 2);  // 45 - 6 - 37
    CHECK_FALSE(pipeline::measured_job({}, plan, units));
    CHECK_FALSE(pipeline::measured_job({line, line}, plan, units));
    CHECK_FALSE(pipeline::measured_job({pipeline::times_json({rank, rank})}, plan, units));
    plan.ceilings.clear();
    CHECK(pipeline::measured_job({line}, plan, units)->ceilings.empty());
}
