#include "pipeline/network_trials.hpp"

#include <algorithm>
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

}  // namespace

NetworkTrials::NetworkTrials(const config::RunRecord& run, NetworkTrial trial,
                             std::vector<std::size_t> next)
    : run_(&run), trial_(std::move(trial)), next_(std::move(next)) {}

void NetworkTrials::require(std::size_t model, TeamContext& context) {
    if (!trial_) return;
    if (!reasons_.contains(model)) {
        context.stop.check(context.team);
        const auto ranks = static_cast<std::size_t>(context.team.size());
        const auto models = to_try(model, ranks);
        auto failed = try_together(models, 0, context);
        for (const auto each : models)
            if (!failed.contains(each)) reasons_[each];
        if (failed.contains(model) && models.size() > 1)
            failed = try_together({model}, ranks - 1, context);  // which has not tried it yet
        reasons_[model] = failed[model];
    }
    comm::run_collectively(context.team, [&] {
        if (const auto& reason = reasons_.at(model); !reason.empty())
            throw core::InputError(reason);
    });
}

bool NetworkTrials::has_passed(std::size_t model) const {
    if (!trial_) return true;
    const auto known = reasons_.find(model);
    return known != reasons_.end() && known->second.empty();
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

std::map<std::size_t, std::string> NetworkTrials::try_together(
    const std::vector<std::size_t>& models, std::size_t first_rank, TeamContext& context) {
    const auto rank = static_cast<std::size_t>(context.team.rank());
    std::map<std::size_t, std::string> failed;
    comm::run_collectively(context.team, [&] {
        if (rank < first_rank || rank - first_rank >= models.size()) return;
        const auto own = models[rank - first_rank];
        const Excused excused(context.watch);
        for (const auto& [identifier, reason] : trial_({run_->models[own]})) failed[own] = reason;
    });
    for (const auto& packed : context.team.all_gather(comm::pack(failed)))
        failed.merge(comm::unpack<std::map<std::size_t, std::string>>(packed));
    return failed;
}

std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units) {
    std::vector<std::size_t> models;
    for (const auto& unit : units) models.push_back(unit.model);
    return models;
}

}  // namespace ventral::pipeline
