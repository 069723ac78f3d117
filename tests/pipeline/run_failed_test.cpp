#include <algorithm>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/repeated_run.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "support/memory_limit.hpp"
#include "support/recorded_scores.hpp"
#include "support/sanitized.hpp"

using namespace ventral;
using test::add_other_model;
using test::SmallRun;

namespace {

/// More than a bound of `room` leaves memory for: 32 MB of features.
void widen_other_model(const config::RunRecord& record) {
    constexpr std::size_t count = 200'000;
    auto features = test::small_features();
    features.dims[1].size = count;
    std::vector<float> values(test::small_stimuli * count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 1009);
    features.values = std::move(values);
    features.coordinates[1].values = std::vector<std::string>(count, test::wide_layer);
    io::write_assembly(record.models[1].features.path, features);
}
constexpr std::size_t room = 24 << 20;

}  // namespace

TEST_CASE("what lacks memory fails with the bound in its record, until a run has more") {
    if (test::has_address_sanitizer) return;
    SmallRun run;
    add_other_model(run.record, run.folder.path().string());
    widen_other_model(run.record);
    run.record.models[1].candidate_layers = {test::wide_layer};
    run.options.memory_bound = {1e9, "the test", "give it more"};
    const auto limited = [&] {
        stats::take_blas_memory(4);  // never to be asked for in vain
        const test::MemoryLimit limit(room);
        return run();
    };
    const auto first = limited();
    CHECK(first.scored == 4);
    CHECK(first.failed == 2);
    for (const auto& record : test::recorded_scores(run.out())) {
        if (record.status != core::ScoreStatus::failed) continue;
        CHECK(record.model == "other");
        CHECK(record.failure->failure_class == core::FailureClass::out_of_memory);
        CHECK(record.memory.at("bound") == 1e9);
        CHECK_THAT(record.failure->reason,
                   Catch::StartsWith("out of memory (") &&
                       Catch::EndsWith(", the limit is the test) give it more"));
    }
    CHECK_FALSE(limited().recorded);
    run.options.memory_bound.bytes = 2e9;
    CHECK(run().scored == 6);
}

TEST_CASE("a layer that does not exist fails its own scores only, and near names are listed") {
    SmallRun run;
    run.record.layers = config::LayerChoice::listed;
    run.record.listed_layers["stored"] = {{"narow"}, {"wide"}, {"narrow", "narow"}};
    const auto result = run();
    CHECK(result.scored == 2);
    CHECK(result.failed == 4);
    std::size_t failed = 0;
    for (const auto& record : test::recorded_scores(run.out())) {
        if (record.layer == "wide") {
            CHECK(record.status == core::ScoreStatus::scored);
            continue;
        }
        ++failed;
        CHECK(record.status == core::ScoreStatus::failed);
        CHECK_THAT(record.failure.value().reason,
                   Catch::Contains("no layer 'narow'") && Catch::Contains("'narrow'"));
    }
    CHECK(failed == 4);
}

TEST_CASE("a failed score is not tried again unless asked for") {
    SmallRun run;
    run.record.benchmarks[0].metric.n_components = 31;  // of 30 train rows
    run();
    const auto again = run();
    CHECK_FALSE(again.recorded);
    CHECK(again.failed == 1);
    run.options.resume.retry_failed = true;
    CHECK(run().recorded);
    CHECK(test::journal_lines(run.out(), "failed").size() == 2);
}

TEST_CASE("features of other stimuli than were recorded fail, and the message says so") {
    const SmallRun run;
    auto features = test::small_features();
    std::get<std::vector<std::string>>(features.coordinates[0].values)[3] = "stranger";
    io::write_assembly(run.record.models[0].features.path, features);
    const auto result = run();
    CHECK(result.failed == 4);
    const auto record = test::recorded_scores(run.out()).at(0);
    CHECK_THAT(record.failure.value().reason,
               Catch::Contains("stimulus ids of the recordings and of the features differ"));
}

TEST_CASE("a missing features file fails the model's scores, not the run") {
    SmallRun run;
    run.record.models.push_back(run.record.models[0]);
    run.record.models[1].identifier = "lost";
    run.record.models[1].features.path = run.folder.file("lost.nc");
    const auto result = run();
    CHECK(result.scored == 4);
    CHECK(result.failed == 2);
    for (const auto& record : test::recorded_scores(run.out()))
        if (record.model == "lost")
            CHECK_THAT(record.failure.value().reason, Catch::Contains("lost.nc"));
}

TEST_CASE("a file that is lost again is recorded again, later than the scores in between") {
    SmallRun run;
    const auto features = run.record.models[0].features.path;
    const auto last_recorded = [&] {
        std::pair<std::string, std::string> last;  // when, and whether it was scored
        for (const auto& record : test::recorded_scores(run.out()))
            last = std::max(last, {record.provenance.at("recorded"), name_of(record.status)});
        return last.second;
    };
    for (const bool there : {false, true, false}) {
        run.record.models[0].features.path = there ? features : run.folder.file("lost.nc");
        run();
        CHECK(last_recorded() == (there ? "scored" : "failed"));
    }
}
