#include "pipeline/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "comm/total.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "core/seconds_since.hpp"
#include "pipeline/extraction/work_ahead.hpp"
#include "pipeline/fit/score_table.hpp"
#include "stats/regression/ridge_folds.hpp"

namespace ventral::pipeline {
namespace {

constexpr int result_tag = 1;

struct GroupTask {
    std::size_t task = 0;
    std::size_t group = 0;
};

using GroupName = std::pair<std::string, std::uint64_t>;

std::map<GroupName, const FoldGroupResult*> by_name(const Finished& finished) {
    std::map<GroupName, const FoldGroupResult*> names;
    for (const auto& result : finished.groups) names[{result.key, result.group}] = &result;
    return names;
}

/// True if the metric can fall back on the features in these forms.
bool has_features(const FitTask& task, const metrics::FeatureForms& forms) {
    if (task.metric->gram_only) return false;
    const auto needs = metrics::find_metric(task.metric->name).needs;
    return needs == metrics::FeaturesNeeded::columns_if_few ? static_cast<bool>(forms.open)
                                                            : forms.reduced.available();
}

/// What the groups of a task share on this rank, of the tasks that it works on now: of a ridge up
/// to a Gram and twice the recordings, and twice that while it is made.
using SharedFits = std::map<std::size_t, std::unique_ptr<stats::SharedFits>>;

FoldGroupResult fit_group(const FitTask& task, std::size_t group,
                          const metrics::FeatureForms& forms, stats::SharedFits& shared,
                          core::Workers& workers) {
    const auto start = std::chrono::steady_clock::now();
    FoldGroupResult result;
    result.key = task.planned->key;
    result.group = task.first_group() + group;
    const auto [first, last] = task.plan->group_range(group);
    try {
        for (const auto& fold : metrics::score_folds(*task.plan, forms, *task.metric,
                                                     {first, last, &shared}, workers)) {
            result.r.insert(result.r.end(), fold.r.begin(), fold.r.end());
            metrics::merge_margins(result.margins, fold.margins);
            metrics::merge_route(result.route, fold.route);
        }
    } catch (const std::exception& error) {
        result.failure = core::failure_of(error);
        result.r.clear();
    }
    result.seconds = core::seconds_since(start);
    return result;
}

/// Results as they come in at the team's first rank, which writes them down.
class Collector {
public:
    Collector(const std::vector<FitTask>& tasks, const FitJournal& journal, TeamContext& context)
        : journal_(journal), context_(context) {
        for (const auto& task : tasks)
            if (task.restricted) restricted_.push_back(task.planned->key);
    }

    /// On any rank: a result that it has computed.
    void add(FoldGroupResult result) {
        own_.push_back(std::move(result));
        const auto& added = own_.back();
        if (context_.leads())
            write(added);
        else
            context_.team.send(0, result_tag, comm::pack(added));
    }

    /// Takes in what other ranks have sent; on them it helps what they have sent on its way.
    void receive() {
        while (const auto message = context_.team.try_receive(result_tag)) {
            write(comm::unpack<FoldGroupResult>(message->bytes));
            ++received_;
        }
        if (!context_.leads()) return;
        const auto time = context_.time(Stage::io);
        if (journal_.journal) journal_.journal->flush_if_due();
    }

    std::size_t received() const { return received_; }
    const std::vector<FoldGroupResult>& own() const { return own_; }

private:
    void write(const FoldGroupResult& result) {
        const auto time = context_.time(Stage::io);
        const bool hidden =
            std::find(restricted_.begin(), restricted_.end(), result.key) != restricted_.end();
        if (journal_.journal && !result.failure && !hidden && journal_.keeps_groups())
            journal_.journal->folds(result);
    }

    const FitJournal& journal_;
    TeamContext& context_;
    std::vector<std::string> restricted_;
    std::vector<FoldGroupResult> own_;
    std::size_t received_ = 0;
};

/// The failures of all ranks by key of the score: of several that of the first group, whichever
/// rank met it. Collective.
std::map<std::string, core::Failure> share_failures(const std::vector<FoldGroupResult>& own,
                                                    comm::Communicator& team) {
    std::vector<FoldGroupResult> mine;
    for (const auto& result : own)
        if (result.failure) mine.push_back(result);
    std::vector<FoldGroupResult> all;
    for (auto& theirs : comm::gather_records(team, mine))
        for (auto& result : theirs) all.push_back(std::move(result));
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.group < b.group; });
    std::map<std::string, core::Failure> failures;
    for (const auto& result : all) failures.emplace(result.key, *result.failure);
    return failures;
}

/// Keeps what tasks of `groups` share already, drops the rest, and makes room for the others'.
void keep_shared(SharedFits& shared, const std::vector<GroupTask>& groups) {
    SharedFits kept;
    for (const auto& [task, group] : groups) {
        auto& of_task = kept[task];
        if (of_task) continue;
        auto& known = shared[task];
        of_task = known ? std::move(known) : std::make_unique<stats::SharedFits>();
    }
    shared = std::move(kept);
}

/// Runs the groups that the counter hands to this rank, as many at a time as it has workers; then
/// works ahead while others are at theirs. Collective.
void work_off(const std::vector<GroupTask>& groups, const std::vector<FitTask>& tasks,
              const metrics::FeatureForms& forms, Collector& collector, TeamContext& context) {
    const auto counter = context.team.make_counter();
    SharedFits shared;
    for (;;) {
        std::vector<GroupTask> mine;
        while (mine.size() < context.workers.threads() && !context.stop.pending()) {
            const auto next = static_cast<std::size_t>(counter->next());
            if (next >= groups.size()) break;
            mine.push_back(groups[next]);
        }
        if (mine.empty()) break;
        // The blocks of other scores would not always fit into the gaps that earlier ones leave.
        if (!shared.empty() && std::any_of(mine.begin(), mine.end(), [&](const GroupTask& each) {
                return !shared.contains(each.task);
            }))
            core::give_back_much_freed_memory();
        keep_shared(shared, mine);
        std::vector<FoldGroupResult> results(mine.size());
        context.workers.parallel_for(mine.size(), [&](std::size_t i) {
            const auto [task, group] = mine[i];
            results[i] = fit_group(tasks[task], group, forms, *shared.at(task), context.workers);
        });
        for (auto& result : results) {
            result.rank = static_cast<std::uint64_t>(context.world_rank);
            collector.add(std::move(result));
        }
        collector.receive();
        context.progress.step("fit, fold group", collector.own().size() + collector.received(),
                              groups.size());
    }
    shared.clear();
    // While the counter is there: its end waits for all ranks.
    if (context.ahead) context.ahead->use_tail([&] { collector.receive(); });
}

/// The first rank writes down what is still on its way. Collective. A journal that cannot be
/// written ends the job: it is no failure of the unit, as an error of all ranks would be.
void receive_rest(Collector& collector, comm::Communicator& team) {
    const auto sent =
        comm::total(team, team.rank() == 0 ? 0 : static_cast<std::int64_t>(collector.own().size()));
    while (team.rank() == 0 && static_cast<std::int64_t>(collector.received()) < sent) {
        collector.receive();
        std::this_thread::yield();
    }
    team.barrier();
}

}  // namespace

std::vector<FitOutcome> fit_scores(const std::vector<FitTask>& tasks,
                                   const metrics::FeatureForms& forms, const Finished& finished,
                                   const FitJournal& journal, TeamContext& context) {
    const auto time = context.time(Stage::fit);
    const auto known = by_name(finished);
    std::vector<ScoreTable> tables;
    std::vector<GroupTask> groups;
    std::map<GroupName, std::size_t> table_of;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        tables.emplace_back(tasks[t]);
        // A job may have ended after it fitted on the Gram and before it did so on the features.
        const auto is_usable = [&](const FoldGroupResult& result) {
            return tables[t].fits(result) &&
                   !(is_lossy(result.route, result.margins.guard) && has_features(tasks[t], forms));
        };
        for (std::size_t g = 0; g < tasks[t].plan->groups(); ++g) {
            const GroupName name{tasks[t].planned->key, tasks[t].first_group() + g};
            table_of[name] = t;
            const auto found = known.find(name);
            if (found == known.end() || !is_usable(*found->second))
                groups.push_back({t, g});
            else if (context.leads())
                tables[t].fill(*found->second);
        }
    }
    Collector collector(tasks, journal, context);
    work_off(groups, tasks, forms, collector, context);
    receive_rest(collector, context.team);

    comm::run_collectively(context.team, [&] {
        for (const auto& result : collector.own())
            if (!result.failure) tables[table_of.at({result.key, result.group})].fill(result);
    });
    const auto failures = share_failures(collector.own(), context.team);

    std::vector<FitOutcome> outcomes;
    bool stopped = false;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        context.team.bit_or(tables[t].words());
        const auto failure = failures.find(tasks[t].planned->key);
        if (failure != failures.end())
            outcomes.emplace_back().score = failure->second;
        else if (tables[t].is_complete())
            outcomes.push_back(tables[t].outcome());
        else
            stopped = true;
    }
    if (stopped) throw core::Interrupted("stopped between fold groups as requested");
    return outcomes;
}

}  // namespace ventral::pipeline
