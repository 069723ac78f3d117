#include "pipeline/units_in_work.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "pipeline/crash_trace.hpp"
#include "pipeline/expected_pass.hpp"
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
            score(units_.alone[item], units_.together.size() + item);
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
        while (const auto item = queue.next()) score(units_.together[*item], *item);
        context_.ahead = nullptr;
    }

    std::optional<ExpectedPass> pass_of(std::optional<std::size_t> item) const {
        if (!item) return std::nullopt;
        return expected_pass(units_.together[*item], inputs_, context_);
    }

    void score(const PlannedUnit& unit, std::size_t number) {
        const auto name = unit_name(inputs_.run, unit);
        const auto count = units_.together.size() + units_.alone.size();
        context_.progress.begin(name + " (" + std::to_string(number + 1) + " of " +
                                std::to_string(count) + ")");
        if (context_.trace) context_.trace->begin_unit(name);
        if (journal_) journal_->started(start_of(unit));
        const UnderWatch watched(context_.watch, timeout_of(unit));
        try {
            score_unit(unit, inputs_, journal_, context_);
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
