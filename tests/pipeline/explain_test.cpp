#include "pipeline/outlook/explain.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "support/planned_run.hpp"
#include "support/recorded_scores.hpp"

using Catch::Matchers::Contains;
using namespace ventral;
using pipeline::ScoreAction;

namespace {

std::vector<pipeline::ScoreExplanation> explained(const test::PlannedRun& planned) {
    const auto finished = planned.finished();
    auto checkpoints = planned.checkpoints();
    return pipeline::explain(planned.run, planned.facts, planned.plan,
                             {finished, test::recorded_scores(planned.out()), checkpoints, {}});
}

std::string without_time(const std::string& text) {
    return std::regex_replace(text, std::regex("[0-9]{2}:[0-9]{2}:[0-9.]+"), "");
}

/// Of all scores, which have one reason but for the time.
std::string common_reason(const test::PlannedRun& planned) {
    const auto all = explained(planned);
    REQUIRE(all.size() == 4);
    for (const auto& each : all) {
        CHECK(each.action == ScoreAction::compute);
        CHECK(without_time(each.why) == without_time(all[0].why));
    }
    return all[0].why;
}

bool is_score(const std::string& line) {
    return line.find("\"kind\":\"score\"") != std::string::npos;
}

}  // namespace

TEST_CASE("nothing is reused of an empty folder") {
    const test::PlannedRun planned;
    CHECK(common_reason(planned) == "not computed before");
    const auto first = explained(planned).at(0);
    CHECK(first.model == "stored");
    CHECK(first.layer == "narrow");
    CHECK(first.benchmark == "small-pls");
    CHECK(first.key == planned.plan.units.at(0).scores.at(0).key);
    CHECK(first.on_disk == "nothing");
}

TEST_CASE("of a model that failed as a whole it is said why") {
    test::PlannedRun planned;
    const auto& features = planned.run.models[0].features.path;
    std::filesystem::rename(features, features + ".away");
    planned.plan_again();
    planned.score();
    std::filesystem::rename(features + ".away", features);
    planned.plan_again();
    const auto why = common_reason(planned);
    CHECK_THAT(why, Catch::StartsWith("not computed before: all layers failed 20"));
    CHECK_THAT(why, Contains(" on node7 by ventral 0.1: ") && Contains("features.nc"));
    // Since others are scored, that is no reason any more.
    planned.score();
    test::drop_journal_lines(planned.out(), [](const std::string& line) {
        return line.find("\"layer\":\"narrow\"") != std::string::npos;
    });
    const auto of_dropped = explained(planned).at(0);
    CHECK(of_dropped.layer == "narrow");
    CHECK_THAT(of_dropped.why,
               Catch::StartsWith("not computed before") && !Contains("all layers failed"));
}

TEST_CASE("what is reused says when, where and by which version it was scored") {
    test::PlannedRun planned;
    planned.score();
    for (const auto& each : explained(planned)) {
        CHECK(each.action == ScoreAction::reuse);
        CHECK_THAT(each.why,
                   Catch::StartsWith("scored 20") && Catch::EndsWith("Z on node7 by ventral 0.1"));
        CHECK(each.on_disk.empty());
    }
}

TEST_CASE("a killed score goes on from its Gram and its fold groups") {
    test::PlannedRun planned;
    planned.score();
    test::drop_journal_lines(planned.out(), [](const std::string& line) {
        return is_score(line) || line.find("\"group\":1") != std::string::npos;
    });
    CHECK(common_reason(planned) == "not computed before; 1 fold group of it computed already");
    CHECK(explained(planned).at(0).on_disk == "Gram");
}

TEST_CASE("a Gram that a score does not look at is not told of") {
    test::PlannedRun planned;
    planned.score();
    for (auto& benchmark : planned.run.benchmarks) benchmark.metric.name = "neuron_to_neuron";
    planned.plan_again();
    for (const auto& score : explained(planned)) CHECK(score.on_disk == "nothing");
}

TEST_CASE("what has changed in a score's inputs is named") {
    test::PlannedRun planned;
    planned.score();
    SECTION("the model") {
        auto features = test::small_features();
        std::get<std::vector<float>>(features.values)[0] += 1;
        io::write_assembly(planned.run.models[0].features.path, features);
        planned.plan_again();
        CHECK_THAT(
            common_reason(planned),
            Catch::StartsWith("changed since 20") &&
                Catch::EndsWith("by ventral 0.1: the model's content (weights or stored features, "
                                "preprocessing, batch size or device)"));
    }
    SECTION("the seed and the metric") {
        planned.run.seed = 3;
        for (auto& benchmark : planned.run.benchmarks) benchmark.metric.cross_validation.splits = 5;
        planned.plan_again();
        CHECK_THAT(common_reason(planned),
                   Catch::EndsWith(": the metric or its parameters, the seed (0, now 3)"));
    }
    SECTION("the benchmark") {
        for (auto& benchmark : planned.run.benchmarks) {
            benchmark.version = 2;
            benchmark.select = {{"region", {"IT"}, {}, {}}};
            benchmark.ceiling.name = "none";
            benchmark.normalisation = "none";
        }
        planned.plan_again();
        CHECK_THAT(explained(planned).at(0).why,
                   Contains("the selection of recordings") &&
                       Contains("(internal_consistency, now none)") &&
                       Contains("the benchmark's version (1, now 2)") &&
                       Contains("the normalisation (") && !Contains("the stimuli"));
    }
    SECTION("the recordings") {
        auto recordings = test::small_recordings();
        std::get<std::vector<double>>(recordings.values)[0] += 1;
        io::write_assembly(planned.folder.file("recordings.nc"), recordings);
        planned.plan_again();
        CHECK_THAT(common_reason(planned), Catch::EndsWith(": the recordings"));
    }
}

TEST_CASE("damaged raw values and passing failures are told apart from new scores") {
    test::PlannedRun planned;
    planned.score();
    for (const auto& name : test::files_in(planned.out() + "/journal"))
        if (name.ends_with(".raw")) std::ofstream(planned.out() + "/journal/" + name) << "short";
    CHECK_THAT(explained(planned).at(0).why,
               Catch::StartsWith("the raw values of what was scored 20") &&
                   Catch::EndsWith("are missing or damaged"));
    auto finished = planned.finished();
    const auto& key = planned.plan.units.at(0).scores.at(0).key;
    finished.retried[key] = "the disk is full";
    auto checkpoints = planned.checkpoints();
    const auto first =
        pipeline::explain(planned.run, planned.facts, planned.plan, {finished, {}, checkpoints, {}})
            .at(0);
    CHECK(first.why == "failed, perhaps for a passing reason: the disk is full");
}

TEST_CASE("the scores of a unit that has ended its jobs cannot be computed") {
    test::PlannedRun planned;
    const auto finished = planned.finished();
    auto checkpoints = planned.checkpoints();
    pipeline::UnitHistories histories;
    auto& history = histories[planned.plan.units.at(0).id];
    history.left_out = true;
    history.deaths = "3 × SIGSEGV";
    const auto first = pipeline::explain(planned.run, planned.facts, planned.plan,
                                         {finished, {}, checkpoints, histories})
                           .at(0);
    CHECK(first.action == ScoreAction::impossible);
    CHECK_THAT(first.why, Contains("has ended its job 3 × SIGSEGV; it is left out until "
                                   "--retry-failed"));
}

TEST_CASE("a failure that will come again is reused, an impossible score is not computed") {
    test::PlannedRun planned;
    planned.run.benchmarks[0].metric.n_components = 31;  // of 30 train rows
    planned.plan_again();
    planned.score();
    const auto failed = explained(planned).at(0);
    CHECK(failed.action == ScoreAction::reuse);
    CHECK_THAT(failed.why, Catch::StartsWith("failed 20") && Contains("component") &&
                               Contains("--retry-failed"));
    std::filesystem::remove(planned.run.models[0].features.path);
    planned.plan_again();
    const auto impossible = explained(planned).at(0);
    CHECK(impossible.action == ScoreAction::impossible);
    CHECK_THAT(impossible.why, Contains("features.nc"));
}
