#include "pipeline/extraction/network_trials.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <system_error>
#include <utility>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "io/input_file.hpp"

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

/// Of the networks that cannot be used, by identifier.
using NetworkReasons = std::map<std::string, std::string>;

/// Each on a thread of its own, which only waits for a process, so that the main thread can do what
/// it has to do meanwhile. Where no thread can be started, one after the other.
std::vector<std::future<NetworkReasons>> begin(
    const NetworkTrial& trial, const std::vector<const models::ModelRecord*>& models,
    const core::Workers& workers) {
    const bool alone = models.size() == 1 && !workers.has_interlude();
    std::vector<std::future<NetworkReasons>> trials;
    for (const auto* model : models) {
        const auto work = [&trial, model] { return trial({*model}); };
        try {
            trials.push_back(std::async(alone ? std::launch::deferred : std::launch::async, work));
        } catch (const std::system_error&) {
            trials.push_back(std::async(std::launch::deferred, work));
        }
    }
    return trials;
}

NetworkReasons wait_for(std::future<NetworkReasons>& trial, const core::Workers& workers) {
    constexpr std::chrono::milliseconds between_interludes{10};
    while (trial.wait_for(between_interludes) == std::future_status::timeout) workers.interlude();
    return trial.get();
}

/// So that it can be tried beside another one of the same rank: a plan counts the memory of one
/// network on each rank.
bool is_small(const models::ModelRecord& model) {
    constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
    return io::file_bytes(model.weights_file) <= most_bytes;
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
        if (!untried.empty()) throw core::TransientError(untried);
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
    const auto models = to_try(model, ranks, trials_at_once(ranks, context.workers.threads()));
    auto verdict = try_together(models, 0, context);
    for (const auto each : models)
        if (!verdict.knows(each)) reasons_[each];
    const bool others_can = ranks > 1 && verdict.untried.contains(model);
    if (verdict.knows(model) && (models.size() > 1 || others_can))
        verdict = try_together({model}, ranks - 1, context);
    if (verdict.untried.contains(model)) return verdict.untried.at(model);
    reasons_[model] = verdict.failed[model];
    return {};
}

std::vector<std::size_t> NetworkTrials::to_try(std::size_t model, std::size_t ranks,
                                               std::size_t at_once) const {
    std::vector<std::size_t> models{model};
    for (auto each = std::find(next_.begin(), next_.end(), model);
         each != next_.end() && models.size() < at_once; ++each) {
        const auto& record = run_->models[*each];
        if (!reasons_.contains(*each) && !has_stored_features(record) &&
            std::find(models.begin(), models.end(), *each) == models.end() &&
            (models.size() < ranks || is_small(record)))
            models.push_back(*each);
    }
    return models;
}

NetworkTrials::Verdict NetworkTrials::try_together(const std::vector<std::size_t>& models,
                                                   std::size_t first_rank, TeamContext& context) {
    const auto ranks = static_cast<std::size_t>(context.team.size());
    const auto rank = static_cast<std::size_t>(context.team.rank());
    Verdict verdict;
    comm::run_collectively(context.team, [&] {
        std::vector<std::size_t> own;
        for (std::size_t place = 0; place < models.size(); ++place)
            if ((first_rank + place) % ranks == rank) own.push_back(models[place]);
        if (!own.empty()) try_own(own, verdict, context);
    });
    for (auto* reasons : {&verdict.failed, &verdict.untried})
        for (auto& theirs : comm::gather_records(context.team, *reasons)) reasons->merge(theirs);
    return verdict;
}

void NetworkTrials::try_own(const std::vector<std::size_t>& models, Verdict& verdict,
                            const TeamContext& context) const {
    const Excused excused(context.watch);
    std::vector<const models::ModelRecord*> records;
    for (const auto model : models) records.push_back(&run_->models[model]);
    auto trials = begin(trial_, records, context.workers);
    for (std::size_t i = 0; i < models.size(); ++i) {
        try {
            for (const auto& [identifier, reason] : wait_for(trials[i], context.workers))
                verdict.failed[models[i]] = reason;
        } catch (const core::TransientError& error) {
            verdict.untried[models[i]] = error.what();
        }
    }
}

std::size_t trials_at_once(std::size_t ranks, std::size_t threads) {
    return ranks * std::min<std::size_t>(threads, 2);
}

std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units) {
    std::vector<std::size_t> models;
    for (const auto& unit : units) models.push_back(unit.model);
    return models;
}

}  // namespace ventral::pipeline
