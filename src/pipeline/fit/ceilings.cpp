#include "pipeline/fit/ceilings.hpp"

#include <filesystem>
#include <optional>
#include <thread>

#include <nlohmann/json.hpp>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/disk/work_claim.hpp"
#include "io/journal/score_json.hpp"
#include "io/out_folder.hpp"
#include "io/text/checked_text.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/normalisation.hpp"
#include "pipeline/fit/score_slices.hpp"
#include "pipeline/journal/other_runs.hpp"
#include "pipeline/schedule/answering.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::pipeline {
namespace {

std::string ceiling_path(const std::string& out, const std::string& key) {
    return io::ceilings_folder(out) + "/" + key + ".json";
}

/// What one rank found out about one ceiling, as it travels.
struct Settled {
    std::string key;
    std::optional<core::Failure> failure;
    std::string score;  ///< as JSON, which has all digits

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& key& score;
        core::archive_optional(archive, failure);
    }
};

/// All that is shown of private data.
core::Assembly value_alone(const core::Score& score) {
    core::Assembly raw;
    raw.values = std::vector<double>{score.value};
    return raw;
}

core::Score score_from(const std::string& json) {
    auto score = io::score_from_json(json);
    const auto mean = [](const core::Assembly& vector) {
        return stats::nan_mean(core::as_float64(vector.values));
    };
    if (score.value_array) score.value = mean(*score.value_array);
    if (score.error_array) score.error = mean(*score.error_array);
    return score;
}

bool has_neuroids(const core::Score& score) { return core::has_dimension(score.raw, "neuroid"); }

/// Without what a run makes no use of.
core::Score as_needed(core::Score score, const PlannedCeiling& planned) {
    if (planned.neuroids && has_neuroids(score))
        score.raw = metrics::mean_over_splits(score.raw);
    else
        score.raw = value_alone(score);
    return score;
}

/// The name of a file alone does not say what is in it. Early files state no key.
void require_key(const std::string& text, const std::string& key) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_object() && json.contains("key") && json.at("key") != key)
        throw core::InputError("it is the ceiling of another key");
}

/// What is on disk, with its neuroids if they are needed. Throws `core::InputError` if the file is
/// damaged.
std::optional<core::Score> ceiling_in(const std::string& path, const PlannedCeiling& planned) {
    const auto text = io::read_checked_text(path);
    if (!text) return std::nullopt;
    auto score = core::naming(path, [&] {
        require_key(*text, std::filesystem::path(path).stem().string());
        return score_from(*text);
    });
    if (planned.neuroids && !has_neuroids(score)) return std::nullopt;
    return as_needed(std::move(score), planned);
}

/// The same for a run, which computes anew what is damaged.
std::optional<core::Score> stored_ceiling(const std::string& path, const PlannedCeiling& planned) {
    try {
        return ceiling_in(path, planned);
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; the ceiling is computed again");
    }
    return std::nullopt;
}

std::string ceiling_name(const PlannedCeiling& planned, const RecordingsReader& recordings) {
    const auto& benchmark = recordings.benchmark(planned.benchmark);
    return benchmark.ceiling.name + " of " + benchmark.identifier;
}

UnitHistory history_of(const PlannedCeiling& planned, const TeamContext& context) {
    return context.histories ? history_of(planned.key, *context.histories) : UnitHistory{};
}

bool is_left_out(const PlannedCeiling& planned, const UnitHistory& history,
                 const std::string& out) {
    return history.left_out && !stored_ceiling(ceiling_path(out, planned.key), planned);
}

/// A ceiling that this rank is at, and watched there, as long as this lives.
class AtCeiling {
public:
    AtCeiling(const PlannedCeiling& planned, const std::string& name, const TeamContext& context)
        : trace_(context.trace),
          watched_(context.watch,
                   context.unit_timeout.value_or(default_unit_timeout(planned.stimuli))) {
        if (trace_) trace_->begin_ceiling(planned.key, name, history_of(planned, context).alone);
    }
    ~AtCeiling() {
        if (trace_) trace_->end_ceiling();
    }
    AtCeiling(const AtCeiling&) = delete;
    AtCeiling& operator=(const AtCeiling&) = delete;

private:
    CrashTrace* trace_;
    UnderWatch watched_;
};

core::Score compute(const PlannedCeiling& planned, RecordingsReader& recordings,
                    TeamContext& context, const std::function<void()>& on_written) {
    const std::string path = ceiling_path(context.out, planned.key);
    const AtCeiling at_ceiling(planned, ceiling_name(planned, recordings), context);
    if (auto stored = stored_ceiling(path, planned)) return std::move(*stored);
    const auto& benchmark = recordings.benchmark(planned.benchmark);
    context.progress.begin("ceiling " + ceiling_name(planned, recordings));
    const auto repetitions = recordings.repetitions(planned.benchmark);
    auto score = core::naming(repetitions.name, [&] {
        return metrics::find_ceiling(benchmark.ceiling.name).compute(repetitions, context.workers);
    });
    if (const auto unlike = recordings.unlike_target(planned.benchmark, repetitions))
        core::log_warning(*unlike);
    for (const auto& warning : score.warnings)
        core::log_warning("ceiling of " + benchmark.identifier + ": " + warning);
    auto shown = score;
    if (recordings.is_restricted(planned.benchmark)) shown.raw = value_alone(score);
    shown.further_texts["key"] = planned.key;
    try {
        io::write_checked_text(path, io::to_json(shown));
        on_written();
    } catch (const core::OutputError& error) {
        core::log_warning(std::string(error.what()) + "; the ceiling is used all the same");
    }
    return as_needed(std::move(score), planned);
}

Settled settle(const PlannedCeiling& planned, RecordingsReader& recordings, TeamContext& context,
               const std::function<void()>& on_written) {
    Settled settled;
    settled.key = planned.key;
    const auto history = history_of(planned, context);
    if (is_left_out(planned, history, context.out)) {
        settled.failure = {history.death, "the ceiling " + ceiling_name(planned, recordings) +
                                              " has ended its job " + why_left_out(history)};
        return settled;
    }
    const auto time = context.time(Stage::ceilings);  // also of a rank that waited before
    try {
        settled.score = io::to_json(compute(planned, recordings, context, on_written));
    } catch (const std::exception& error) {
        settled.failure = recordings.public_failure(planned.benchmark, core::failure_of(error));
    }
    return settled;
}

/// How a rank settles the ceilings that it gets.
struct Settling {
    const RecordingsReader& recordings;
    TeamContext& context;
    /// False if another run is at it.
    std::function<bool(const PlannedCeiling&)> if_free;
    std::function<void(const PlannedCeiling&)> anyway;
};

/// Each when no other run is at it, or nobody has recorded anything for too long; until this one is
/// asked to stop.
void settle_after_others(std::vector<PlannedCeiling> ceilings, const Settling& settling) {
    auto& context = settling.context;
    const auto time = context.time(Stage::wait);
    std::optional<Patience> patience;
    while (!context.stop.pending()) {
        const auto waiting = ceilings.size();
        std::erase_if(ceilings, settling.if_free);
        if (ceilings.empty()) return;
        const auto& first = ceilings.front();
        if (!patience || ceilings.size() < waiting) {
            core::log_info("another run with the same --out computes the ceiling " +
                           ceiling_name(first, settling.recordings) + ": waiting for it");
            patience.emplace(context.unit_timeout.value_or(default_unit_timeout(first.stimuli)),
                             *context.others);
        }
        if (patience->is_over()) {
            core::log_info("nobody records anything: it is done here too");
            settling.anyway(first);
            ceilings.erase(ceilings.begin());
            patience.reset();
            continue;
        }
        context.workers.interlude();
        std::this_thread::sleep_for(between_looks);
    }
    if (context.others && !ceilings.empty()) context.others->begin_wait();
}

/// Whichever rank asks gets the next ceiling, until one is asked to stop; in the end each those of
/// its own that other runs were at. Collective.
void settle_in_turn(const std::vector<PlannedCeiling>& ceilings, comm::Communicator& world,
                    const Settling& settling) {
    auto& context = settling.context;
    const auto counter = world.make_counter();
    const Answering answering(*counter, world, context);
    const auto next = [&] {
        const auto time = context.time(Stage::wait);
        return static_cast<std::size_t>(counter->next());
    };
    std::vector<PlannedCeiling> put_off;
    for (auto item = next(); item < ceilings.size() && !context.stop.pending(); item = next())
        if (!settling.if_free(ceilings[item])) put_off.push_back(ceilings[item]);
    settle_after_others(std::move(put_off), settling);
}

}  // namespace

std::optional<core::CeilingValue> ceiling_with_neuroids(const std::string& out,
                                                        const std::string& key) {
    PlannedCeiling wanted;
    wanted.neuroids = true;
    const auto score = ceiling_in(ceiling_path(out, key), wanted);
    return score ? std::optional(ceiling_value(*score)) : std::nullopt;
}

CeilingsToDo ceilings_to_do(const std::vector<PlannedCeiling>& planned, const std::string& out,
                            const UnitHistories& histories) {
    if (out.empty()) return {planned};
    CeilingsToDo to_do;
    for (const auto& ceiling : planned) {
        if (stored_ceiling(ceiling_path(out, ceiling.key), ceiling)) continue;
        if (history_of(ceiling.key, histories).left_out)
            ++to_do.left_out;
        else
            to_do.compute.push_back(ceiling);
    }
    return to_do;
}

std::map<std::string, CeilingOutcome> settle_ceilings(const std::vector<PlannedCeiling>& planned,
                                                      RecordingsReader& recordings,
                                                      comm::Communicator& world,
                                                      TeamContext& context,
                                                      const std::function<void()>& on_written) {
    std::vector<PlannedCeiling> together;
    std::vector<PlannedCeiling> alone;
    for (const auto& ceiling : planned) {
        const auto history = history_of(ceiling, context);
        (history.alone && !history.left_out ? alone : together).push_back(ceiling);
    }
    std::vector<Settled> mine;
    const auto settle_anyway = [&](const PlannedCeiling& ceiling) {
        mine.push_back(settle(ceiling, recordings, context, on_written));
    };
    const auto settle_if_free = [&](const PlannedCeiling& ceiling) {
        const auto claim = context.others ? context.others->claim(ceiling.key) : io::WorkClaim();
        if (claim) settle_anyway(ceiling);
        return claim.has_value();
    };
    const Settling settling{recordings, context, settle_if_free, settle_anyway};
    settle_in_turn(together, world, settling);
    context.stop.check(world);
    if (world.rank() == 0)
        for (const auto& ceiling : alone) {
            if (context.stop.pending()) break;
            core::log_warning("the ceiling " + ceiling_name(ceiling, recordings) +
                              " has ended its job before: it is computed alone, after all others");
            settle_after_others({ceiling}, settling);
        }

    std::map<std::string, CeilingOutcome> ceilings;
    const auto all = comm::gather_records(world, mine);
    context.stop.check(world);
    for (const auto& of_rank : all)
        for (const auto& settled : of_rank) {
            if (settled.failure)
                ceilings[settled.key] = *settled.failure;
            else
                ceilings[settled.key] = ceiling_value(score_from(settled.score));
        }
    return ceilings;
}

}  // namespace ventral::pipeline
