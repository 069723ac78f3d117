#include "pipeline/network_trials.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <system_error>
#include <utility>

#include "comm/records.hpp"
#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

/// A trial has its own limits of time, which count its processor seconds and ten times as many by
/// the clock; longer than this only what no signal can end.
constexpr double most_seconds = 3600;

/// A few at most: each may take as much memory as the rank.
std::size_t trials_of_a_rank(const TeamContext& context) {
    constexpr std::size_t most = 4;
    return std::min(context.workers.threads(), most);
}

/// Counts as progress while it lives, for some time.
class Excused {
public:
    explicit Excused(HangWatch* watch) : watch_(watch) {
        if (watch_) watch_->excuse(most_seconds);
    }
    ~Excused() {
        if (watch_) watch_->excuse(0);
    }
    Excused(const Excused&) = delete;
    Excused& operator=(const Excused&) = delete;

private:
    HangWatch* watch_;
};

/// Each on a thread of its own where the main thread has something to do meanwhile: a trial only
/// waits for a process.
void try_each(std::size_t count, const std::function<void(std::size_t)>& trial,
              core::Workers& workers) {
    if (!workers.has_interlude()) {
        workers.parallel_for(count, trial);
        return;
    }
    constexpr std::chrono::milliseconds between_interludes{10};
    std::vector<std::future<void>> trying;
    for (std::size_t i = 0; i < count; ++i) try {
            trying.push_back(std::async(std::launch::async, trial, i));
        } catch (const std::system_error&) {
            trial(i);  // no thread can be started
        }
    for (auto& each : trying) {
        while (each.wait_for(between_interludes) != std::future_status::ready) workers.interlude();
        each.get();
    }
}

}  // namespace

NetworkTrials::NetworkTrials(const config::RunRecord& run, NetworkTrial trial,
                             std::vector<std::size_t> next)
    : run_(&run), trial_(std::move(trial)), next_(std::move(next)) {}

void NetworkTrials::require(std::size_t model, TeamContext& context) {
    if (!trial_) return;
    std::string untried;
    if (!reasons_.contains(model)) {
        context.stop.check(context.team);
        untried = try_with_next(model, context);
    }
    // A signal to all processes of a job ends a trial too.
    if (!untried.empty()) context.stop.check(context.team);
    comm::run_collectively(context.team, [&] {
        if (!untried.empty()) throw core::OutputError(untried);
        if (const auto& reason = reasons_.at(model); !reason.empty())
            throw core::InputError(reason);
    });
}

bool NetworkTrials::has_passed(std::size_t model) const {
    if (!trial_) return true;
    const auto known = reasons_.find(model);
    return known != reasons_.end() && known->second.empty();
}

std::string NetworkTrials::try_with_next(std::size_t model, TeamContext& context) {
    const auto ranks = static_cast<std::size_t>(context.team.size());
    const auto models = to_try(model, ranks * trials_of_a_rank(context));
    auto verdict = try_together(models, 0, context);
    for (const auto each : models)
        if (!verdict.knows(each)) reasons_[each];
    const bool others_can = ranks > 1 && verdict.untried.contains(model);
    if (verdict.knows(model) && (models.size() > 1 || others_can))
        verdict = try_together({model}, ranks - 1, context);  // which has not tried it yet
    if (verdict.untried.contains(model)) return verdict.untried.at(model);
    reasons_[model] = verdict.failed[model];
    return {};
}

std::vector<std::size_t> NetworkTrials::to_try(std::size_t model, std::size_t most) const {
    std::vector<std::size_t> models{model};
    for (auto each = std::find(next_.begin(), next_.end(), model);
         each != next_.end() && models.size() < most; ++each)
        if (!reasons_.contains(*each) && run_->models[*each].features_file.empty() &&
            std::find(models.begin(), models.end(), *each) == models.end())
            models.push_back(*each);
    return models;
}

NetworkTrials::Verdict NetworkTrials::try_together(const std::vector<std::size_t>& models,
                                                   std::size_t first_rank, TeamContext& context) {
    const auto rank = static_cast<std::size_t>(context.team.rank());
    const auto ranks = static_cast<std::size_t>(context.team.size());
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < models.size(); ++i)
        if ((first_rank + i) % ranks == rank) own.push_back(models[i]);
    std::vector<Verdict> verdicts(own.size());
    comm::run_collectively(context.team, [&] {
        if (own.empty()) return;
        const Excused excused(context.watch);
        try_each(
            own.size(), [&](std::size_t i) { verdicts[i] = verdict_on(own[i]); }, context.workers);
    });
    Verdict verdict;
    for (auto& each : verdicts) {
        verdict.failed.merge(each.failed);
        verdict.untried.merge(each.untried);
    }
    for (auto* reasons : {&verdict.failed, &verdict.untried})
        for (const auto& packed : context.team.all_gather(comm::pack(*reasons)))
            reasons->merge(comm::unpack<Reasons>(packed));
    return verdict;
}

NetworkTrials::Verdict NetworkTrials::verdict_on(std::size_t model) const {
    Verdict verdict;
    try {
        for (const auto& [identifier, reason] : trial_({run_->models[model]}))
            verdict.failed[model] = reason;
    } catch (const core::OutputError& error) {
        verdict.untried[model] = error.what();
    }
    return verdict;
}

std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units) {
    std::vector<std::size_t> models;
    for (const auto& unit : units) models.push_back(unit.model);
    return models;
}

}  // namespace ventral::pipeline
