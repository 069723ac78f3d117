#include "pipeline/ceilings.hpp"

#include <filesystem>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/checked_text.hpp"
#include "io/json_problem.hpp"
#include "io/score_json.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/features.hpp"
#include "pipeline/answering.hpp"
#include "pipeline/score_slices.hpp"
#include "stats/correlation.hpp"

namespace ventral::pipeline {
namespace {

using Json = nlohmann::json;

std::string ceiling_path(const std::string& out, const std::string& key) {
    return out + "/ceilings/" + key + ".json";
}

double number_or_nan(const Json& json) {
    if (json.is_number()) return json.get<double>();
    if (json.is_string())
        return json.get<std::string>() == "-inf" ? -std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

/// What one rank found out about one ceiling, as it travels.
struct Settled {
    std::string key;
    std::string failure;
    core::FailureClass failure_class = core::FailureClass::deterministic;
    double value = 0;
    std::vector<double> error;  ///< none or one
    std::vector<std::string> slices;
    std::vector<double> slice_values;
    std::vector<double> slice_errors;  ///< none or all

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& key& failure& failure_class& value& error& slices& slice_values& slice_errors;
    }
};

void put(const core::CeilingValue& ceiling, Settled& settled) {
    settled.value = ceiling.value;
    if (ceiling.error) settled.error = {*ceiling.error};
    for (const auto& slice : ceiling.slices) {
        settled.slices.push_back(slice.name);
        settled.slice_values.push_back(slice.value);
        if (slice.error) settled.slice_errors.push_back(*slice.error);
    }
}

core::CeilingValue ceiling_of(const Settled& settled) {
    core::CeilingValue ceiling{settled.value, {}};
    if (!settled.error.empty()) ceiling.error = settled.error.front();
    for (std::size_t i = 0; i < settled.slices.size(); ++i) {
        ceiling.slices.push_back({settled.slices[i], settled.slice_values[i], {}});
        if (!settled.slice_errors.empty()) ceiling.slices.back().error = settled.slice_errors[i];
    }
    return ceiling;
}

std::vector<double> numbers_from(const Json& list) {
    std::vector<double> numbers;
    for (const auto& entry : list) numbers.push_back(number_or_nan(entry));
    return numbers;
}

/// A number per time bin, as `io::to_json` writes a score's vector.
core::Assembly vector_from(const Json& json) {
    core::Assembly vector;
    vector.values = numbers_from(json.at("values"));
    vector.dims = {{"time_bin", core::value_count(vector.values)}};
    for (const auto& [name, labels] : json.at("coords").items())
        vector.coordinates.push_back({name, "time_bin", numbers_from(labels.at("values"))});
    return vector;
}

core::Score score_from(const Json& json) {
    core::Score score;
    if (json.at("value").is_object()) {
        score.value_array = vector_from(json.at("value"));
        score.value = stats::nan_mean(core::as_float64(score.value_array->values));
    } else {
        score.value = number_or_nan(json.at("value"));
    }
    if (!json.contains("error")) return score;
    if (json.at("error").is_object()) {
        score.error_array = vector_from(json.at("error"));
        score.error = stats::nan_mean(core::as_float64(score.error_array->values));
    } else {
        score.error = number_or_nan(json.at("error"));
    }
    return score;
}

/// The ceiling on disk; a damaged file is computed again.
std::optional<core::CeilingValue> stored_ceiling(const std::string& path) {
    try {
        const auto text = io::read_checked_text(path);
        if (!text) return std::nullopt;
        return ceiling_value(score_from(Json::parse(*text)));
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; the ceiling is computed again");
    } catch (const Json::exception& error) {
        core::log_warning(path + ": is no ceiling of ventral (" + io::json_problem(error) +
                          "); it is computed again");
    }
    return std::nullopt;
}

std::string ceiling_name(const PlannedCeiling& planned, const RecordingsReader& recordings) {
    const auto& benchmark = recordings.benchmark(planned.benchmark);
    return benchmark.ceiling.name + " of " + benchmark.identifier;
}

UnitHistory history_of(const PlannedCeiling& planned, const UnitHistories& histories) {
    const auto known = histories.find(planned.key);
    return known == histories.end() ? UnitHistory{} : known->second;
}

UnitHistory history_of(const PlannedCeiling& planned, const TeamContext& context) {
    return context.histories ? history_of(planned, *context.histories) : UnitHistory{};
}

bool is_left_out(const PlannedCeiling& planned, const UnitHistory& history,
                 const std::string& out) {
    return history.left_out && !std::filesystem::exists(ceiling_path(out, planned.key));
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

core::CeilingValue compute(const PlannedCeiling& planned, RecordingsReader& recordings,
                           TeamContext& context, const std::function<void()>& on_written) {
    const std::string path = ceiling_path(context.out, planned.key);
    const AtCeiling at_ceiling(planned, ceiling_name(planned, recordings), context);
    if (const auto stored = stored_ceiling(path)) return *stored;
    const auto& benchmark = recordings.benchmark(planned.benchmark);
    context.progress.begin("ceiling " + ceiling_name(planned, recordings));
    const auto repetitions = recordings.repetitions(planned.benchmark);
    auto score = metrics::naming(repetitions.name, [&] {
        return metrics::find_ceiling(benchmark.ceiling.name).compute(repetitions, context.workers);
    });
    for (const auto& warning : score.warnings)
        core::log_warning("ceiling of " + benchmark.identifier + ": " + warning);
    if (recordings.is_restricted(planned.benchmark)) {
        score.raw = {};
        score.raw.values = std::vector<double>{score.value};
    }
    try {
        io::write_checked_text(path, io::to_json(score));
        on_written();
    } catch (const core::OutputError& error) {
        core::log_warning(std::string(error.what()) + "; the ceiling is used all the same");
    }
    return ceiling_value(score);
}

Settled settle(const PlannedCeiling& planned, RecordingsReader& recordings, TeamContext& context,
               const std::function<void()>& on_written) {
    Settled settled;
    settled.key = planned.key;
    const auto history = history_of(planned, context);
    if (is_left_out(planned, history, context.out)) {
        settled.failure_class = history.death;
        settled.failure = "the ceiling " + ceiling_name(planned, recordings) +
                          " has ended its job " + why_left_out(history);
        return settled;
    }
    try {
        put(compute(planned, recordings, context, on_written), settled);
    } catch (const std::exception& error) {
        settled.failure = recordings.public_reason(planned.benchmark, error.what());
        settled.failure_class = core::failure_class_of(error);
    }
    return settled;
}

/// Whichever rank asks gets the next ceiling, until one is asked to stop. Collective.
void settle_in_turn(const std::vector<PlannedCeiling>& ceilings, comm::Communicator& world,
                    TeamContext& context, const std::function<void(const PlannedCeiling&)>& work) {
    const auto counter = world.make_counter();
    const Answering answering(*counter, world, context);
    const auto next = [&] {
        const auto time = context.time(Stage::wait);
        return static_cast<std::size_t>(counter->next());
    };
    for (auto item = next(); item < ceilings.size() && !context.stop.pending(); item = next())
        work(ceilings[item]);
}

}  // namespace

std::vector<PlannedCeiling> missing_ceilings(const std::vector<PlannedCeiling>& planned,
                                             const std::string& out,
                                             const UnitHistories& histories) {
    auto missing = planned;
    if (out.empty()) return missing;
    std::erase_if(missing, [&](const auto& ceiling) {
        return is_left_out(ceiling, history_of(ceiling, histories), out) ||
               stored_ceiling(ceiling_path(out, ceiling.key)).has_value();
    });
    return missing;
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
    settle_in_turn(together, world, context, [&](const PlannedCeiling& ceiling) {
        mine.push_back(settle(ceiling, recordings, context, on_written));
    });
    context.stop.check(world);
    if (world.rank() == 0)
        for (const auto& ceiling : alone) {
            if (context.stop.pending()) break;
            core::log_warning("the ceiling " + ceiling_name(ceiling, recordings) +
                              " has ended its job before: it is computed alone, after all others");
            mine.push_back(settle(ceiling, recordings, context, on_written));
        }

    std::map<std::string, CeilingOutcome> ceilings;
    const auto all = world.all_gather(comm::pack(mine));
    context.stop.check(world);
    for (const auto& packed : all)
        for (const auto& settled : comm::unpack<std::vector<Settled>>(packed)) {
            if (settled.failure.empty())
                ceilings[settled.key] = ceiling_of(settled);
            else
                ceilings[settled.key] = core::Failure{settled.failure_class, settled.failure};
        }
    return ceilings;
}

}  // namespace ventral::pipeline
