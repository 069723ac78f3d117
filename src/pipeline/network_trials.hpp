#pragma once
/// @file
/// Which networks of a run can be loaded without a crash.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/input_facts.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/team_context.hpp"

namespace ventral::pipeline {

/// Tries networks before they run, each once. A trial takes a process of its own and its time, so
/// that the ranks of a team share the trials: when one network is needed, those that will be next
/// are tried too, four on each rank one after the other, and nothing else goes on meanwhile.
class NetworkTrials {
public:
    static constexpr std::size_t at_once_on_a_rank = 4;

    /// `next`: models of the run in the order in which they will be needed. Without a `trial`
    /// nothing is tried. `run` must outlive it.
    NetworkTrials(const config::RunRecord& run, NetworkTrial trial,
                  std::vector<std::size_t> next = {});

    /// Throws `comm::CollectiveError` on all ranks (with one rank `core::InputError`) if the
    /// network of a model cannot be used. Collective over the team.
    void require(std::size_t model, TeamContext& context);

private:
    /// `model` and the next ones that are untried.
    std::vector<std::size_t> to_try(std::size_t model, std::size_t ranks) const;
    void try_together(const std::vector<std::size_t>& models, TeamContext& context);

    const config::RunRecord* run_;
    NetworkTrial trial_;
    std::vector<std::size_t> next_;
    std::map<std::size_t, std::string> reasons_;  ///< of those tried: empty, or why not
};

/// The models of units, in their order.
std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units);

}  // namespace ventral::pipeline
