#include "pipeline/units_in_work.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/work_claim.hpp"
#include "pipeline/claims.hpp"
#include "pipeline/crash_trace.hpp"
#include "pipeline/expected_pass.hpp"
#include "pipeline/from_first_rank.hpp"
#include "pipeline/unit_queue.hpp"
#include "pipeline/work_ahead.hpp"

namespace ventral::pipeline {
namespace {

/// The work of a run on its units: who does which, and what the journal says of it.
class UnitsInWork {
public:
    UnitsInWork(const UnitsOfRun& units, const UnitInputs& inputs, RunJournal* journal,
                comm::Communicator& world, TeamContext& context)
        : units_(units.open),
          news_(units.news),
          inputs_(inputs),
          histories_(units.histories),
          journal_(journal),
          world_(world),
          context_(context) {
        context.checkpointed = [this] {
            context_.got_on();
            if (journal_) journal_->progressed();
        };
    }
    ~UnitsInWork() {
        context_.checkpointed = {};
        context_.ahead = nullptr;
    }
    UnitsInWork(const UnitsInWork&) = delete;
    UnitsInWork& operator=(const UnitsInWork&) = delete;

    /// Throws `core::Interrupted` on all ranks of the world if one is interrupted. Collective.
    void run() {
        bool is_interrupted = false;
        try {
            score_together();
        } catch (const core::Interrupted&) {
            is_interrupted = true;
        }
        agree_on_stop(is_interrupted, world_);
        one_by_one(units_.alone.size(), world_, context_.team, [&](std::size_t item) {
            score_after_others(units_.alone[item], units_.together.size() + item);
        });
    }

private:
    /// A rank that is alone has nobody to wait for, and works nothing ahead. Nor does one that
    /// would have to ask another node what comes next: the answer may take longer than the others
    /// do.
    void score_together() {
        UnitQueue queue(units_.together.size(), world_, context_);
        std::optional<WorkAhead> ahead;
        if (context_.team.size() > 1 && context_.team.size() == world_.size())
            ahead.emplace(WorkAhead::Rules{[&] { return pass_of(queue.ahead()); }}, context_);
        context_.ahead = ahead ? &*ahead : nullptr;
        std::vector<std::size_t> taken;
        while (const auto item = queue.next())
            if (!score_if_free(units_.together[*item], *item)) taken.push_back(*item);
        context_.ahead = nullptr;
        for (const auto item : taken) score_after_others(units_.together[item], item);
    }

    /// False if another run is at the unit. Collective over the team.
    bool score_if_free(const PlannedUnit& unit, std::size_t number) {
        const auto claim = claimed(unit);
        if (!claim) return false;
        score(unit, number);
        return true;
    }

    /// Waits until no other run is at the unit, or for as long as one that does not move would be
    /// let. Collective over the team.
    void score_after_others(const PlannedUnit& unit, std::size_t number) {
        using Clock = std::chrono::steady_clock;
        const auto end = Clock::now() + std::chrono::duration<double>(timeout_of(unit));
        for (bool is_told = false; !score_if_free(unit, number); is_told = true) {
            const auto time = context_.time(Stage::wait);
            const auto name = unit_name(inputs_.run, unit);
            if (!is_told && context_.leads())
                core::log_info("the unit '" + name +
                               "' is in work in another run with the same --out: waiting for it");
            context_.stop.check(context_.team);
            if (agreed([&] { return Clock::now() < end; })) {
                std::this_thread::sleep_for(between_looks);
                continue;
            }
            if (context_.leads())
                core::log_warning("the unit '" + name +
                                  "' is still in work in another run: it is done here too");
            return score(unit, number);
        }
    }

    /// What the first rank of the team says. Collective over the team.
    bool agreed(const std::function<bool()>& question) {
        return from_first_rank<bool>(context_.team, question);
    }

    /// The claim, which the first rank holds; nothing on all ranks if another run has it.
    std::optional<io::WorkClaim> claimed(const PlannedUnit& unit) {
        std::optional<io::WorkClaim> claim;
        const bool is_free = agreed([&] {
            claim = io::claim_work(claims_path(context_.out), unit.key);
            return claim.has_value();
        });
        if (!is_free) return std::nullopt;
        return claim ? std::move(claim) : io::WorkClaim();
    }

    /// What is finished of the unit by now. Collective over the team.
    std::optional<Finished> newly_finished(const PlannedUnit& unit) {
        auto finished = from_first_rank<std::vector<Finished>>(context_.team, [&] {
            const auto found = news_(unit);
            return found ? std::vector<Finished>{*found} : std::vector<Finished>();
        });
        if (finished.empty()) return std::nullopt;
        return std::move(finished.front());
    }

    std::optional<ExpectedPass> pass_of(std::optional<std::size_t> item) const {
        if (!item) return std::nullopt;
        return expected_pass(units_.together[*item], inputs_, context_);
    }

    void score(const PlannedUnit& unit, std::size_t number) {
        const auto finished = newly_finished(unit);
        const UnitInputs inputs{inputs_.run,
                                inputs_.recordings,
                                inputs_.ceilings,
                                inputs_.facts,
                                finished ? *finished : inputs_.finished,
                                inputs_.network_trials,
                                inputs_.truth};
        const auto name = unit_name(inputs_.run, unit);
        const auto count = units_.together.size() + units_.alone.size();
        context_.progress.begin(name + " (" + std::to_string(number + 1) + " of " +
                                std::to_string(count) + ")");
        if (context_.trace) context_.trace->begin_unit(name);
        if (journal_) journal_->started(start_of(unit));
        const UnderWatch watched(context_.watch, timeout_of(unit));
        try {
            score_unit(unit, inputs, journal_, context_);
        } catch (const core::Interrupted&) {
            if (journal_) journal_->ended(UnitEnd::interrupted);
            throw;
        } catch (const io::JournalError&) {
            throw;
        } catch (const std::exception& error) {
            if (context_.trace) context_.trace->leave_crashed(error.what());
            throw;
        }
        if (journal_) journal_->ended(UnitEnd::done);
    }

    double timeout_of(const PlannedUnit& unit) const {
        const auto& time = inputs_.run.models[unit.model].time;
        std::size_t bins = time ? time->bins.size() : 1;
        for (const auto& score : unit.scores)
            bins = std::max(bins, inputs_.run.benchmarks[score.benchmark].time_bins.size());
        return context_.unit_timeout.value_or(default_unit_timeout(
            bins * inputs_.facts.datasets.at(unit.dataset).stimuli, unit.trials));
    }

    UnitStart start_of(const PlannedUnit& unit) const {
        UnitStart start{unit.key, inputs_.run.models[unit.model].identifier, unit.dataset};
        start.ranks = context_.team.size();
        const auto known = histories_.find(unit.key);
        if (known == histories_.end()) return start;
        start.attempt = known->second.attempts + 1;
        start.alone = known->second.alone;
        return start;
    }

    const OpenUnits& units_;
    const std::function<std::optional<Finished>(const PlannedUnit&)>& news_;
    const UnitInputs& inputs_;
    const UnitHistories& histories_;
    RunJournal* journal_;
    comm::Communicator& world_;
    TeamContext& context_;
};

}  // namespace

void score_units(const UnitsOfRun& units, const UnitInputs& inputs, RunJournal* journal,
                 comm::Communicator& world, TeamContext& context) {
    UnitsInWork(units, inputs, journal, world, context).run();
}

}  // namespace ventral::pipeline
