#include "config/settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "config/metric_table.hpp"
#include "config/table.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "metrics/normalisation.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::config {
namespace {

const std::string metric_prefix = "metric.";

struct Setting {
    std::string text;  ///< as the user gave it
    std::string name;  ///< as it is called in errors
    std::string key, value;
};

using Settings = std::vector<Setting>;

Setting split(const std::string& text) {
    const std::string name = "--set " + text;
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw core::InputError(name + ": not of the form KEY=VALUE");
    auto key = text.substr(0, equals);
    key.erase(key.find_last_not_of(' ') + 1);
    return {text, name, key, text.substr(equals + 1)};
}

Settings split_all(const std::vector<std::string>& texts) {
    Settings settings;
    std::map<std::string, std::string> seen;  // by key
    for (const auto& text : texts) {
        const auto& setting = settings.emplace_back(split(text));
        if (const auto [earlier, is_new] = seen.emplace(setting.key, text); !is_new)
            throw core::InputError(setting.name + ": " + setting.key + " is set already (--set " +
                                   earlier->second + ")");
    }
    return settings;
}

bool is_of_metrics(const Setting& setting) { return setting.key.starts_with(metric_prefix); }

std::string parameter_of(const Setting& setting) {
    return setting.key.substr(metric_prefix.size());
}

/// What is not TOML is a text.
void insert(toml::table& table, const std::string& key, const std::string& value) {
    try {
        const toml::table parsed = toml::parse("value = " + value);
        // A copy knows nothing of lines.
        if (parsed.size() == 1)
            parsed.get("value")->visit([&](const auto& node) { table.insert(key, node); });
    } catch (const toml::parse_error&) {
    }
    if (!table.contains(key)) table.insert(key, value);
}

std::string names_of(const std::vector<benchmarks::BenchmarkRecord>& benchmarks) {
    std::set<std::string> names;
    for (const auto& benchmark : benchmarks)
        if (benchmark.problem.empty()) names.insert(benchmark.metric.name);
    return core::joined(names);
}

/// The settings are read as one table, since one may be right only with another. In errors `place`
/// stands behind the setting.
metrics::MetricOptions with(metrics::MetricOptions options, const Settings& settings,
                            const std::string& place = {}) {
    toml::table contents;
    std::map<std::string, std::string> origins;
    for (const auto& setting : settings) {
        insert(contents, parameter_of(setting), setting.value);
        origins.emplace(parameter_of(setting), setting.name + place);
    }
    Table table(origins, contents);
    read_metric_parameters(options, table);
    table.finish();
    return options;
}

/// False also if the settings need others beside them.
bool gives(const metrics::MetricOptions& options, const Settings& settings,
           const metrics::MetricOptions& wanted) {
    try {
        return with(options, settings) == wanted;
    } catch (const core::InputError&) {
        return false;
    }
}

/// True if the metric is another one without the setting, or with it alone.
bool matters(const Setting& setting, const metrics::MetricOptions& options,
             const Settings& settings) {
    auto others = settings;
    std::erase_if(others, [&](const auto& other) { return other.key == setting.key; });
    return !gives(options, others, with(options, settings)) || !gives(options, {setting}, options);
}

/// Those that the benchmark's metric takes.
Settings taken_by(const benchmarks::BenchmarkRecord& benchmark, const Settings& settings) {
    if (!benchmark.problem.empty()) return {};
    const auto& metric = metrics::find_metric(benchmark.metric.name);
    Settings taken;
    std::copy_if(
        settings.begin(), settings.end(), std::back_inserter(taken),
        [&](const auto& setting) { return metrics::takes(metric, parameter_of(setting)); });
    return taken;
}

/// An error names the benchmark if it is what is against the settings.
metrics::MetricOptions options_with(const benchmarks::BenchmarkRecord& benchmark,
                                    const Settings& settings) {
    try {
        return with(benchmark.metric, settings);
    } catch (const core::InputError&) {
        metrics::MetricOptions of_any;
        of_any.name = benchmark.metric.name;
        with(of_any, settings);
        return with(benchmark.metric, settings, " on " + benchmark.identifier);
    }
}

void require_taken(const Setting& setting, const RunRecord& run) {
    for (const auto& benchmark : run.benchmarks)
        if (!taken_by(benchmark, {setting}).empty()) return;
    if (!metrics::is_taken(parameter_of(setting))) with({}, {setting});  // says which there are
    throw core::InputError(setting.name + ": no metric of the run takes '" + parameter_of(setting) +
                           "' (they are " + names_of(run.benchmarks) + ")");
}

/// The keys of those that change anything, then also the keys of all scores.
std::set<std::string> apply_to_metrics(RunRecord& run, const Settings& settings) {
    for (const auto& setting : settings) require_taken(setting, run);
    std::vector<metrics::MetricOptions> changed;
    std::set<std::string> keys;
    for (const auto& benchmark : run.benchmarks) {
        const auto taken = taken_by(benchmark, settings);
        changed.push_back(taken.empty() ? benchmark.metric : options_with(benchmark, taken));
        for (const auto& setting : taken)
            if (matters(setting, benchmark.metric, taken)) keys.insert(setting.key);
    }
    for (std::size_t b = 0; b < changed.size(); ++b) run.benchmarks[b].metric = changed[b];
    return keys;
}

/// True if it changes anything.
bool apply_to_run(RunRecord& run, const Setting& setting) {
    toml::table contents;
    insert(contents, setting.key, setting.value);
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
    const auto all = split_all(settings);
    Settings of_metrics;
    std::copy_if(all.begin(), all.end(), std::back_inserter(of_metrics), is_of_metrics);
    const auto changing = apply_to_metrics(run, of_metrics);
    for (const auto& setting : all)
        if (is_of_metrics(setting) ? changing.contains(setting.key) : apply_to_run(run, setting))
            run.settings.push_back(setting.text);
}

}  // namespace ventral::config
