#include "pipeline/network_trials.hpp"

#include <algorithm>
#include <utility>

#include "comm/records.hpp"
#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

/// Counts as a sign of life while it lives.
class HasItsOwnLimit {
public:
    explicit HasItsOwnLimit(HangWatch* watch) : watch_(watch) {
        if (watch_) watch_->excuse(true);
    }
    ~HasItsOwnLimit() {
        if (watch_) watch_->excuse(false);
    }
    HasItsOwnLimit(const HasItsOwnLimit&) = delete;
    HasItsOwnLimit& operator=(const HasItsOwnLimit&) = delete;

private:
    HangWatch* watch_;
};

}  // namespace

NetworkTrials::NetworkTrials(const config::RunRecord& run, NetworkTrial trial,
                             std::vector<std::size_t> next)
    : run_(&run), trial_(std::move(trial)), next_(std::move(next)) {}

void NetworkTrials::require(std::size_t model, TeamContext& context) {
    if (!trial_) return;
    if (!reasons_.contains(model))
        try_together(to_try(model, static_cast<std::size_t>(context.team.size())), context);
    comm::run_collectively(context.team, [&] {
        if (const auto& reason = reasons_.at(model); !reason.empty())
            throw core::InputError(reason);
    });
}

std::vector<std::size_t> NetworkTrials::to_try(std::size_t model, std::size_t ranks) const {
    std::vector<std::size_t> models{model};
    for (auto each = std::find(next_.begin(), next_.end(), model);
         each != next_.end() && models.size() < ranks * at_once_on_a_rank; ++each)
        if (!reasons_.contains(*each) && run_->models[*each].features_file.empty() &&
            std::find(models.begin(), models.end(), *each) == models.end())
            models.push_back(*each);
    return models;
}

void NetworkTrials::try_together(const std::vector<std::size_t>& models, TeamContext& context) {
    const auto ranks = static_cast<std::size_t>(context.team.size());
    std::map<std::string, std::string> found;
    comm::run_collectively(context.team, [&] {
        std::vector<models::ModelRecord> own;
        for (auto m = static_cast<std::size_t>(context.team.rank()); m < models.size(); m += ranks)
            own.push_back(run_->models[models[m]]);
        if (own.empty()) return;
        const HasItsOwnLimit limit(context.watch);
        found = trial_(own);
    });
    for (const auto model : models) reasons_[model];
    for (const auto& packed : context.team.all_gather(comm::pack(found)))
        for (const auto& [identifier, reason] :
             comm::unpack<std::map<std::string, std::string>>(packed))
            for (const auto model : models)
                if (run_->models[model].identifier == identifier) reasons_[model] = reason;
}

std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units) {
    std::vector<std::size_t> models;
    for (const auto& unit : units) models.push_back(unit.model);
    return models;
}

}  // namespace ventral::pipeline
