#include "pipeline/ceilings.hpp"

#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/checked_text.hpp"
#include "io/score_json.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/features.hpp"

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
    bool has_error = false;
    double error = 0;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& key& failure& failure_class& value& has_error& error;
    }
};

/// The ceiling on disk; a damaged file is computed again.
std::optional<core::CeilingValue> stored_ceiling(const std::string& path) {
    try {
        const auto text = io::read_checked_text(path);
        if (!text) return std::nullopt;
        const auto json = Json::parse(*text);
        core::CeilingValue ceiling{number_or_nan(json.at("value")), {}};
        if (json.contains("error")) ceiling.error = number_or_nan(json.at("error"));
        return ceiling;
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; the ceiling is computed again");
        return std::nullopt;
    }
}

core::CeilingValue compute(const PlannedCeiling& planned, RecordingsReader& recordings,
                           TeamContext& context) {
    const std::string path = ceiling_path(context.out, planned.key);
    if (const auto stored = stored_ceiling(path)) return *stored;
    const auto& benchmark = recordings.benchmark(planned.benchmark);
    context.progress.begin("ceiling " + benchmark.ceiling.name + " of " + benchmark.identifier);
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
    } catch (const core::OutputError& error) {
        core::log_warning(std::string(error.what()) + "; the ceiling is used all the same");
    }
    return {score.value, score.error};
}

Settled settle(const PlannedCeiling& planned, RecordingsReader& recordings, TeamContext& context) {
    Settled settled;
    settled.key = planned.key;
    try {
        const auto ceiling = compute(planned, recordings, context);
        settled.value = ceiling.value;
        settled.has_error = ceiling.error.has_value();
        settled.error = ceiling.error.value_or(0);
    } catch (const std::exception& error) {
        settled.failure = recordings.public_reason(planned.benchmark, error.what());
        settled.failure_class = core::failure_class_of(error);
    }
    return settled;
}

}  // namespace

std::map<std::string, CeilingOutcome> settle_ceilings(const std::vector<PlannedCeiling>& planned,
                                                      RecordingsReader& recordings,
                                                      comm::Communicator& world,
                                                      TeamContext& context) {
    std::vector<Settled> mine;
    const auto counter = world.make_counter();
    for (auto next = static_cast<std::size_t>(counter->next()); next < planned.size();
         next = static_cast<std::size_t>(counter->next()))
        mine.push_back(settle(planned[next], recordings, context));

    std::map<std::string, CeilingOutcome> ceilings;
    for (const auto& packed : world.all_gather(comm::pack(mine)))
        for (const auto& settled : comm::unpack<std::vector<Settled>>(packed)) {
            if (!settled.failure.empty()) {
                ceilings[settled.key] = core::Failure{settled.failure_class, settled.failure};
                continue;
            }
            core::CeilingValue value{settled.value, {}};
            if (settled.has_error) value.error = settled.error;
            ceilings[settled.key] = value;
        }
    return ceilings;
}

}  // namespace ventral::pipeline
