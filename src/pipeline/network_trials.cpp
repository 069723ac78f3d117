#include "pipeline/network_trials.hpp"

#include <algorithm>
#include <chrono>
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

/// On a thread of its own where the main thread has something to do meanwhile: a trial only waits
/// for a process.
std::map<std::string, std::string> try_network(const NetworkTrial& trial,
                                               const models::ModelRecord& model,
                                               const core::Workers& workers) {
    if (!workers.has_interlude()) return trial({model});
    constexpr std::chrono::milliseconds between_interludes{10};
    std::future<std::map<std::string, std::string>> trying;
    try {
        trying = std::async(std::launch::async, [&] { return trial({model}); });
    } catch (const std::system_error&) {
        return trial({model});  // no thread can be started
    }
    while (trying.wait_for(between_interludes) != std::future_status::ready) workers.interlude();
    return trying.get();
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
    const auto models = to_try(model, ranks);
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

std::vector<std::size_t> NetworkTrials::to_try(std::size_t model, std::size_t ranks) const {
    std::vector<std::size_t> models{model};
    for (auto each = std::find(next_.begin(), next_.end(), model);
         each != next_.end() && models.size() < ranks; ++each)
        if (!reasons_.contains(*each) && run_->models[*each].features_file.empty() &&
            std::find(models.begin(), models.end(), *each) == models.end())
            models.push_back(*each);
    return models;
}

NetworkTrials::Verdict NetworkTrials::try_together(const std::vector<std::size_t>& models,
                                                   std::size_t first_rank, TeamContext& context) {
    const auto rank = static_cast<std::size_t>(context.team.rank());
    Verdict verdict;
    comm::run_collectively(context.team, [&] {
        if (rank < first_rank || rank - first_rank >= models.size()) return;
        const auto own = models[rank - first_rank];
        const Excused excused(context.watch);
        try {
            for (const auto& [identifier, reason] :
                 try_network(trial_, run_->models[own], context.workers))
                verdict.failed[own] = reason;
        } catch (const core::OutputError& error) {
            verdict.untried[own] = error.what();
        }
    });
    for (auto* reasons : {&verdict.failed, &verdict.untried})
        for (const auto& packed : context.team.all_gather(comm::pack(*reasons)))
            reasons->merge(comm::unpack<Reasons>(packed));
    return verdict;
}

std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units) {
    std::vector<std::size_t> models;
    for (const auto& unit : units) models.push_back(unit.model);
    return models;
}

}  // namespace ventral::pipeline
