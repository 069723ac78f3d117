#include "config/settings.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "config/metric_table.hpp"
#include "config/table.hpp"
#include "core/errors.hpp"
#include "metrics/normalisation.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::config {
namespace {

const std::string metric_prefix = "metric.";

struct Setting {
    std::string name;  ///< as it is called in errors
    std::string key, value;
};

Setting split(const std::string& setting) {
    const std::string name = "--set " + setting;
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size())
        throw core::InputError(name + ": not of the form KEY=VALUE");
    auto key = setting.substr(0, equals);
    key.erase(key.find_last_not_of(' ') + 1);
    return {name, key, setting.substr(equals + 1)};
}

/// What is not TOML is a text.
toml::table parse(const std::string& key, const std::string& value) {
    toml::table table;
    try {
        const toml::table parsed = toml::parse("value = " + value);
        // A copy knows nothing of lines.
        if (parsed.size() == 1)
            parsed.get("value")->visit([&](const auto& node) { table.insert(key, node); });
    } catch (const toml::parse_error&) {
    }
    if (table.empty()) table.insert(key, value);
    return table;
}

std::string names_of(const std::vector<benchmarks::BenchmarkRecord>& benchmarks) {
    std::set<std::string> names;
    for (const auto& benchmark : benchmarks) names.insert(benchmark.metric.name);
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// True if it changes anything, then the keys of all scores.
bool apply_to_metrics(RunRecord& run, const Setting& setting) {
    const auto parameter = setting.key.substr(metric_prefix.size());
    const auto contents = parse(parameter, setting.value);
    Table table(setting.name, contents);
    bool is_taken = false;
    bool changes = false;
    for (auto& benchmark : run.benchmarks) {
        auto options = benchmark.metric;
        read_metric_parameters(options, table);
        is_taken |= metrics::takes(metrics::find_metric(options.name), parameter);
        changes |= std::exchange(benchmark.metric, options) != options;
    }
    table.finish();
    if (!is_taken)
        throw core::InputError(setting.name + ": no metric of the run takes '" + parameter +
                               "' (they are " + names_of(run.benchmarks) + ")");
    return changes;
}

/// True if it changes anything.
bool apply_to_run(RunRecord& run, const Setting& setting) {
    const auto contents = parse(setting.key, setting.value);
    Table table(setting.name, contents);
    bool changes = false;
    if (const auto value = table.find("seed")) {
        const auto seed = value->integer(0, std::numeric_limits<std::uint32_t>::max());
        changes = std::exchange(run.seed, seed) != seed;
    } else if (const auto normalisation = table.find("normalisation")) {
        const auto choice = normalisation->choice(metrics::normalisations());
        for (auto& benchmark : run.benchmarks)
            changes |= std::exchange(benchmark.normalisation, choice) != choice;
    } else {
        throw core::InputError(setting.name + ": unknown key '" + setting.key +
                               "', give seed, normalisation or metric.PARAMETER (such as " +
                               metric_prefix + "splits)");
    }
    table.finish();
    return changes;
}

}  // namespace

void apply_settings(RunRecord& run, const std::vector<std::string>& settings) {
    std::map<std::string, std::string> seen;  // by key
    for (const auto& text : settings) {
        const auto setting = split(text);
        if (const auto [earlier, is_new] = seen.emplace(setting.key, text); !is_new)
            throw core::InputError(setting.name + ": " + setting.key + " is set already (--set " +
                                   earlier->second + ")");
        const bool changes = setting.key.starts_with(metric_prefix) ? apply_to_metrics(run, setting)
                                                                    : apply_to_run(run, setting);
        if (changes) run.settings.push_back(text);
    }
}

}  // namespace ventral::config
