#include "pipeline/fit/fit.hpp"

#include <cstring>
#include <numeric>
#include <optional>
#include <set>

#include <catch2/catch.hpp>

#include "core/average_repetition.hpp"
#include "core/errors.hpp"
#include "pipeline/fit/layer_gram.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::Finished;
using pipeline::FitOutcome;
using pipeline::FoldGroupResult;
using test::Team;

namespace {

/// Two scores, "pls" and "ridge", on the Gram of all features.
class TwoScores {
public:
    explicit TwoScores(Team& team) : team_(team) {
        for (const char* metric : {"pls", "ridge"}) {
            auto benchmark = test::small_benchmark(metric);
            metrics_.push_back(benchmark.metric);
            pipeline::PlannedScore planned;
            planned.key = metric;
            planned_.push_back(planned);
            plans_.push_back(
                metrics::plan_cross_validated(core::average_repetition(test::small_recordings()),
                                              benchmark.metric.cross_validation));
        }
        std::vector<std::size_t> in_order(test::small_stimuli);
        std::iota(in_order.rbegin(), in_order.rend(), 0U);
        const auto features = core::take(test::small_features(), "presentation", in_order);
        pipeline::FeatureSource source;
        if (team.context.leads()) source = &features;
        team.context.kept.grams = pipeline::Keep::discard;
        gram_ = pipeline::make_gram(source, "all", "all", team.context);
    }

    std::vector<FitOutcome> fit(const Finished& finished = {},
                                const pipeline::FitJournal& journal = {}) {
        std::vector<pipeline::FitTask> tasks;
        for (std::size_t t = 0; t < planned_.size(); ++t)
            tasks.push_back({&planned_[t], &plans_[t], &metrics_[t], restricted});
        auto forms = pipeline::forms_of(gram_);
        forms.reduced = reduced;
        const auto outcomes = pipeline::fit_scores(tasks, forms, finished, journal, team_.context);
        team_.context.team.barrier();
        return outcomes;
    }

    /// What metrics give without a pipeline.
    core::Score direct(std::size_t t) {
        core::Workers workers(1);
        std::vector<double> table;
        for (std::size_t g = 0; g < plans_[t].groups(); ++g) {
            const auto [first, last] = plans_[t].group_range(g);
            for (const auto& fold : metrics::score_folds(plans_[t], pipeline::forms_of(gram_),
                                                         metrics_[t], {first, last}, workers))
                table.insert(table.end(), fold.r.begin(), fold.r.end());
        }
        return metrics::aggregate(plans_[t], table);
    }

    metrics::MetricOptions& metric(std::size_t t) { return metrics_[t]; }

    bool restricted = false;
    stats::ReducedFeatures reduced;

private:
    Team& team_;
    std::vector<metrics::MetricOptions> metrics_;
    std::vector<pipeline::PlannedScore> planned_;
    std::vector<metrics::RegressionPlan> plans_;
    pipeline::LayerGram gram_;
};

const core::Score& score_of(const FitOutcome& outcome) {
    return std::get<core::Score>(outcome.score);
}

std::vector<double> raw_of(const FitOutcome& outcome) {
    return std::get<std::vector<double>>(score_of(outcome).raw.values);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// A group of "pls" that nobody computed: every value is 0.5.
FoldGroupResult invented_group(std::uint64_t number) {
    FoldGroupResult group;
    group.key = "pls";
    group.group = number;
    group.r.assign(metrics::fold_group * test::small_neuroids, 0.5);
    group.route = metrics::gram_route;
    return group;
}

}  // namespace

TEST_CASE("scores are those of the metrics, bit for bit, on any ranks and threads") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        for (const std::size_t threads : {1, 3}) {
            Team team(world, folder, threads);
            TwoScores scores(team);
            const auto outcomes = scores.fit();
            REQUIRE(outcomes.size() == 2);
            for (std::size_t t = 0; t < 2; ++t) {
                const auto expected = scores.direct(t);
                CHECK(score_of(outcomes[t]).value == expected.value);
                CHECK(score_of(outcomes[t]).error == expected.error);
                CHECK(same_bits(raw_of(outcomes[t]),
                                std::get<std::vector<double>>(expected.raw.values)));
                CHECK_FALSE(score_of(outcomes[t]).route.empty());
            }
        }
    });
}

TEST_CASE("every finished group is written down once, whichever rank computed it") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        TwoScores scores(team);
        std::optional<pipeline::RunJournal> journal;
        if (team.context.leads()) journal.emplace(folder, "job", "here");
        scores.fit({}, {journal ? &*journal : nullptr});
        if (journal) journal->flush();
        world.barrier();
        const auto finished = pipeline::read_finished(folder, "here", {});
        std::set<std::pair<std::string, std::uint64_t>> names;
        for (const auto& group : finished.groups) names.insert({group.key, group.group});
        CHECK(names.size() == 4);
        CHECK(test::journal_lines(folder, "folds").size() == 4);
    });
}

TEST_CASE("groups that are finished are used and not computed") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        TwoScores scores(team);
        const auto fresh = raw_of(scores.fit()[0]);
        Finished finished;
        finished.groups = {invented_group(0)};
        const auto raw = raw_of(scores.fit(finished)[0]);
        const std::size_t half = raw.size() / 2;
        for (std::size_t i = 0; i < half; ++i) CHECK(raw[i] == 0.5);
        CHECK(same_bits({raw.begin() + static_cast<std::ptrdiff_t>(half), raw.end()},
                        {fresh.begin() + static_cast<std::ptrdiff_t>(half), fresh.end()}));
    });
}

TEST_CASE("a finished group of another size is computed again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        TwoScores scores(team);
        const auto fresh = raw_of(scores.fit()[0]);
        Finished finished;
        finished.groups = {invented_group(0)};
        finished.groups[0].r.pop_back();
        CHECK(same_bits(raw_of(scores.fit(finished)[0]), fresh));
    });
}

TEST_CASE("finished groups that need the features count until these are at hand") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        TwoScores scores(team);
        const auto fresh = raw_of(scores.fit()[0]);
        Finished finished;
        finished.groups = {invented_group(0)};
        finished.groups[0].margins.guard = 1e-3;
        const auto of_gram = scores.fit(finished);
        CHECK(of_gram[0].needs_features);
        CHECK(raw_of(of_gram[0])[0] == 0.5);
        // No fold of the small data loses digits, so that nothing is asked of these features.
        scores.reduced = stats::ReducedFeatures([] { return stats::Matrix(); });
        const auto outcomes = scores.fit(finished);
        CHECK_FALSE(outcomes[0].needs_features);
        CHECK(same_bits(raw_of(outcomes[0]), fresh));
        finished.groups[0].route = metrics::both_routes;
        CHECK(raw_of(scores.fit(finished)[0])[0] == 0.5);
        finished.groups[0].route = metrics::gram_route;
        scores.metric(0).gram_only = true;
        CHECK(raw_of(scores.fit(finished)[0])[0] == 0.5);
    });
}

TEST_CASE("the folds of restricted scores are not written down") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    Team team(*serial, folder.path().string());
    TwoScores scores(team);
    scores.restricted = true;
    pipeline::RunJournal journal(team.context.out, "job", "here");
    CHECK(score_of(scores.fit({}, {&journal})[0]).value > 0);
    CHECK(journal.lines() == 0);
}

TEST_CASE("groups of features that have changed are not written down") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    Team team(*serial, folder.path().string());
    TwoScores scores(team);
    pipeline::RunJournal journal(team.context.out, "job", "here");
    std::size_t asked = 0;
    scores.fit({}, {&journal, [&] { return ++asked <= 3; }});
    CHECK(asked == 4);
    CHECK(journal.lines() == 3);
}

TEST_CASE("a score that cannot be fitted fails alone, on every rank") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        TwoScores scores(team);
        scores.metric(0).name = "nonsense";
        const auto outcomes = scores.fit();
        const auto& failure = std::get<core::Failure>(outcomes[0].score);
        CHECK_THAT(failure.reason, Catch::Contains("metric 'nonsense'"));
        CHECK(score_of(outcomes[1]).value == scores.direct(1).value);
    });
}

TEST_CASE("a request to stop interrupts what is not finished on all ranks") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder, 1, std::chrono::seconds(0));
        Finished finished;
        for (std::uint64_t g = 0; g < 2; ++g) finished.groups.push_back(invented_group(g));
        pipeline::PlannedScore planned;
        planned.key = "pls";
        auto benchmark = test::small_benchmark("pls");
        const auto plan = metrics::plan_cross_validated(
            core::average_repetition(test::small_recordings()), benchmark.metric.cross_validation);
        const metrics::FeatureForms none{{}, 0};
        const std::vector<pipeline::FitTask> task = {{&planned, &plan, &benchmark.metric}};
        CHECK_THROWS_AS(pipeline::fit_scores(task, none, {}, {}, team.context), core::Interrupted);
        const auto outcomes = pipeline::fit_scores(task, none, finished, {}, team.context);
        CHECK(score_of(outcomes.at(0)).value == 0.5);
    });
}

TEST_CASE("an outcome says which rank computed how many folds") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        TwoScores scores(team);
        for (const auto& outcome : scores.fit()) {
            std::size_t all = 0;
            for (const auto& [rank, folds] : outcome.folds_by_rank) {
                CHECK(rank < static_cast<std::uint64_t>(world.size()));
                all += folds;
            }
            CHECK(all == 10);
            CHECK(outcome.seconds > 0);
        }
    });
}
