#include "pipeline/units_in_work.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/from_first_rank.hpp"
#include "comm/within_team.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/disk/work_claim.hpp"
#include "pipeline/extraction/work_ahead.hpp"
#include "pipeline/fit/expected_pass.hpp"
#include "pipeline/journal/other_runs.hpp"
#include "pipeline/schedule/unit_queue.hpp"
#include "pipeline/watch/crash_trace.hpp"

namespace ventral::pipeline {
namespace {

/// The work of a run on its units: who does which, and what the journal says of it.
class UnitsInWork {
public:
    UnitsInWork(const UnitsOfRun& units, const UnitInputs& inputs, RunJournal* journal,
                comm::Communicator& world, TeamContext& context)
        : units_(units.open),
          finished_now_(units.finished_now),
          inputs_(inputs),
          histories_(units.histories),
          journal_(journal),
          world_(world),
          context_(context),
          needs_(needs_of_units()) {
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
        stop_together(world_, [&] { score_together(); });
        one_by_one(units_.alone.size(), world_, context_.team, [&](std::size_t item) {
            score_after_others({{&units_.alone[item], units_.together.size() + item}});
        });
    }

private:
    /// A rank that is alone has nobody to wait for, and works nothing ahead. Nor does one that
    /// would have to ask another node what comes next: the answer may take longer than the others
    /// do.
    void score_together() {
        UnitQueue queue(units_.together.size(), world_, context_);
        comm::within_team(context_.team, world_, [&] { score_all_of(queue); });
    }

    void score_all_of(UnitQueue& queue) {
        std::optional<WorkAhead> ahead;
        if (context_.team.size() > 1 && context_.team.size() == world_.size())
            ahead.emplace(WorkAhead::Rules{[&] { return pass_of(queue.ahead()); }}, context_);
        context_.ahead = ahead ? &*ahead : nullptr;
        std::vector<std::size_t> put_off;
        while (const auto item = queue.next())
            if (!score_if_free(units_.together[*item], *item)) {
                if (ahead) ahead->drop();
                put_off.push_back(*item);
            }
        context_.ahead = nullptr;
        ahead.reset();
        std::vector<Numbered> units;
        for (const auto item : put_off) units.push_back({&units_.together[item], item});
        score_after_others(std::move(units));
    }

    /// A unit and its place among all.
    struct Numbered {
        const PlannedUnit* unit;
        std::size_t number;
    };

    /// False if another run is at the unit. Collective over the team.
    bool score_if_free(const PlannedUnit& unit, std::size_t number, bool was_put_off = false) {
        const auto claim = claimed(unit);
        if (!claim) return false;
        score(unit, number, was_put_off);
        return true;
    }

    /// Each when no other run is at it, or when nobody has recorded anything for too long.
    /// Collective over the team.
    void score_after_others(std::vector<Numbered> units) {
        std::optional<Patience> patience;  // of the first rank
        for (bool is_news = true; !units.empty();) {
            const auto waiting = units.size();
            std::erase_if(units, [&](const auto& each) {
                return score_if_free(*each.unit, each.number, true);
            });
            if (units.empty()) return;
            if (is_news || units.size() < waiting) {
                tell(units,
                     "in work in another run with the same --out, or of another team: "
                     "waiting for it");
                if (context_.leads()) patience.emplace(longest_timeout(units), *context_.others);
            }
            wait();
            is_news = agreed([&] { return patience->is_over(); });
            if (!is_news) continue;
            tell({units.front()}, "still in work elsewhere: it is done here too");
            score(*units.front().unit, units.front().number, true);
            units.erase(units.begin());
        }
    }

    void tell(const std::vector<Numbered>& units, const std::string& what) const {
        if (!context_.leads()) return;
        for (const auto& each : units)
            core::log_info("the unit '" + unit_name(inputs_.run, *each.unit) + "' is " + what);
    }

    /// A moment, in which others are answered. Collective over the team.
    void wait() {
        const auto time = context_.time(Stage::wait);
        context_.others->begin_wait();
        context_.stop.check(context_.team);
        context_.others->end_wait();
        context_.workers.interlude();
        std::this_thread::sleep_for(between_looks);
    }

    /// 0 if any may stand still for ever.
    double longest_timeout(const std::vector<Numbered>& units) const {
        double longest = 0;
        for (const auto& each : units) {
            const double timeout = timeout_of(*each.unit);
            if (timeout <= 0) return 0;
            longest = std::max(longest, timeout);
        }
        return longest;
    }

    /// What the first rank of the team says. Collective over the team.
    bool agreed(const std::function<bool()>& question) {
        return comm::from_first_rank<bool>(context_.team, question);
    }

    /// The claim, which the first rank holds; nothing on all ranks if another run has it.
    std::optional<io::WorkClaim> claimed(const PlannedUnit& unit) {
        std::optional<io::WorkClaim> claim;
        const bool is_free = agreed([&] {
            claim = context_.others ? context_.others->claim(unit.key) : io::WorkClaim();
            return claim.has_value();
        });
        if (!is_free) return std::nullopt;
        return claim ? std::move(claim) : io::WorkClaim();
    }

    /// What is finished of the unit by now, if other runs have recorded any of it since this one
    /// began, or were at it. Collective over the team.
    std::optional<Finished> newly_finished(const PlannedUnit& unit, bool was_put_off) {
        const auto has_news = [&] {
            if (was_put_off || !context_.others) return was_put_off;
            const auto& recorded = context_.others->scores();
            return std::any_of(unit.scores.begin(), unit.scores.end(),
                               [&](const auto& score) { return recorded.contains(score.key); });
        };
        if (!agreed(has_news)) return std::nullopt;
        return comm::from_first_rank<Finished>(context_.team, [&] { return finished_now_(unit); });
    }

    std::optional<ExpectedPass> pass_of(std::optional<std::size_t> item) const {
        if (!item) return std::nullopt;
        return expected_pass(units_.together[*item], inputs_, context_);
    }

    void score(const PlannedUnit& unit, std::size_t number, bool was_put_off) {
        const auto finished = newly_finished(unit, was_put_off);
        const UnitInputs inputs{inputs_.run,
                                inputs_.recordings,
                                inputs_.ceilings,
                                inputs_.facts,
                                finished ? *finished : inputs_.finished,
                                inputs_.network_trials,
                                inputs_.truth,
                                inputs_.told_failures,
                                sharing_after(number)};
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
            if (context_.trace) context_.trace->leave_ended_by(error);
            throw;
        }
        if (journal_) journal_->ended(UnitEnd::done);
    }

    /// What a unit needs of activations.
    struct Needs {
        const PlannedUnit* unit;
        std::string fitting;  ///< key of those that its PCA is fitted on; empty if there are none
    };

    /// Of all units in their order; of none where activations are kept.
    std::vector<Needs> needs_of_units() const {
        std::vector<Needs> needs;
        if (context_.kept.activations == Keep::keep) return needs;
        for (const auto* open : {&units_.together, &units_.alone})
            for (const auto& unit : *open) {
                const auto& model = inputs_.run.models[unit.model];
                const bool is_fitted = !unit.projection.empty() && !model.pca->dataset.empty();
                needs.push_back({&unit, is_fitted ? fitting_key(model, inputs_.facts) : ""});
            }
        return needs;
    }

    /// The units after this one that need activations which it needs too.
    std::vector<const PlannedUnit*> sharing_after(std::size_t number) const {
        std::vector<const PlannedUnit*> later;
        for (std::size_t i = number + 1; i < needs_.size(); ++i)
            if (share_activations(needs_[number], needs_[i])) later.push_back(needs_[i].unit);
        return later;
    }

    static bool share_activations(const Needs& a, const Needs& b) {
        const bool has_fitting_of_a =
            !a.fitting.empty() && (a.fitting == b.unit->key || a.fitting == b.fitting);
        return has_fitting_of_a || a.unit->key == b.unit->key || a.unit->key == b.fitting;
    }

    double timeout_of(const PlannedUnit& unit) const {
        const auto& model = inputs_.run.models[unit.model];
        std::size_t bins = answer_bins(model);
        std::size_t stimuli = inputs_.facts.datasets.at(unit.dataset).stimuli;
        for (const auto& score : unit.scores) {
            const auto& benchmark = inputs_.run.benchmarks[score.benchmark];
            bins = std::max(bins, benchmark.time_bins.size());
            stimuli = std::max(stimuli, inputs_.facts.datasets.at(benchmark.dataset).stimuli);
        }
        const auto rows = std::max(bins * stimuli, fitting_rows(model, inputs_.facts));
        return context_.unit_timeout.value_or(default_unit_timeout(rows, unit.trials));
    }

    UnitStart start_of(const PlannedUnit& unit) const {
        UnitStart start{unit.id, inputs_.run.models[unit.model].identifier, unit.dataset};
        start.ranks = context_.team.size();
        const auto history = history_of(unit.id, histories_);
        start.attempt = history.attempts + 1;
        start.alone = history.alone;
        return start;
    }

    const OpenUnits& units_;
    const std::function<Finished(const PlannedUnit&)>& finished_now_;
    const UnitInputs& inputs_;
    const UnitHistories& histories_;
    RunJournal* journal_;
    comm::Communicator& world_;
    TeamContext& context_;
    std::vector<Needs> needs_;
};

}  // namespace

void score_units(const UnitsOfRun& units, const UnitInputs& inputs, RunJournal* journal,
                 comm::Communicator& world, TeamContext& context) {
    UnitsInWork(units, inputs, journal, world, context).run();
}

}  // namespace ventral::pipeline
