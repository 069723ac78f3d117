#pragma once
/// @file
/// Which networks of a run can be loaded without a crash.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// How many networks a team tries at once: one on each rank, two where a rank has several threads.
std::size_t trials_at_once(std::size_t ranks, std::size_t threads);

/// Tries networks before they run, each once. A trial takes a process of its own and its time, so
/// that a team makes them side by side: when one network is needed, those that will be next are
/// tried too, `trials_at_once` (beyond one on each rank just networks whose files are small), and
/// nothing else goes on meanwhile but the workers' interlude.
/// Trials side by side may want for memory: one that fails then counts only if it fails alone. One
/// that cannot be tried, as where no process can be started, is tried again for the next unit that
/// needs it.
class NetworkTrials {
public:
    /// `next`: models of the run in the order in which they will be needed. Without a `trial`
    /// nothing is tried. `run` must outlive it.
    NetworkTrials(const config::RunRecord& run, NetworkTrial trial,
                  std::vector<std::size_t> next = {});

    /// Throws `comm::CollectiveError` on all ranks (with one rank `core::InputError`) if the
    /// network of a model cannot be used, a transient one (`core::TransientError`) if it cannot be
    /// tried, `core::Interrupted` if asked to stop. Collective over the team.
    void require(std::size_t model, TeamContext& context);

    /// Whether `require` would pass without another trial.
    bool has_passed(std::size_t model) const;

private:
    /// `model` and the next ones that are untried.
    std::vector<std::size_t> to_try(std::size_t model, std::size_t ranks,
                                    std::size_t at_once) const;
    using Reasons = std::map<std::size_t, std::string>;  ///< by model
    struct Verdict {
        Reasons failed;   ///< why they cannot be used
        Reasons untried;  ///< why they could not be tried

        bool knows(std::size_t model) const {
            return failed.contains(model) || untried.contains(model);
        }
    };
    /// Deals the models to the ranks, from `first_rank` on.
    Verdict try_together(const std::vector<std::size_t>& models, std::size_t first_rank,
                         TeamContext& context);
    /// Those of this rank, side by side.
    void try_own(const std::vector<std::size_t>& models, Verdict& verdict,
                 const TeamContext& context) const;
    /// Tries `model` beside the next ones and remembers what comes of it; returns why it could not
    /// be tried, or nothing.
    std::string try_with_next(std::size_t model, TeamContext& context);

    const config::RunRecord* run_;
    NetworkTrial trial_;
    std::vector<std::size_t> next_;
    Reasons reasons_;  ///< of those tried: empty, or why not
};

/// The models of units, in their order.
std::vector<std::size_t> models_of(const std::vector<PlannedUnit>& units);

}  // namespace ventral::pipeline
