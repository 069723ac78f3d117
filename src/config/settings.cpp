#include "config/settings.hpp"

#include <limits>

#include "config/metric_table.hpp"
#include "config/table.hpp"
#include "core/errors.hpp"
#include "metrics/normalisation.hpp"

namespace ventral::config {
namespace {

const std::string metric_prefix = "metric.";

toml::table parse_setting(const std::string& key, const std::string& value) {
    toml::table table;
    try {
        return toml::parse(key + " = " + value);
    } catch (const toml::parse_error&) {
        table.insert(key, value);
        return table;
    }
}

}  // namespace

void apply_setting(RunRecord& run, const std::string& setting) {
    const std::string name = "--set " + setting;
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size())
        throw core::InputError(name + ": not of the form KEY=VALUE");
    const std::string key = setting.substr(0, equals);
    for (const auto& earlier : run.settings)
        if (earlier.starts_with(key + "="))
            throw core::InputError(name + ": " + key + " is set already (--set " + earlier + ")");
    const bool is_metric = key.starts_with(metric_prefix);
    const auto contents = parse_setting(is_metric ? key.substr(metric_prefix.size()) : key,
                                        setting.substr(equals + 1));
    Table table(name, contents);
    if (is_metric) {
        for (auto& benchmark : run.benchmarks) read_metric_parameters(benchmark.metric, table);
    } else if (const auto seed = table.find("seed")) {
        run.seed = seed->integer(0, std::numeric_limits<std::uint32_t>::max());
    } else if (const auto normalisation = table.find("normalisation")) {
        const auto choice = normalisation->choice(metrics::normalisations());
        for (auto& benchmark : run.benchmarks) benchmark.normalisation = choice;
    } else {
        throw core::InputError(name + ": unknown key '" + key + "', give seed, normalisation or " +
                               "metric.PARAMETER (such as " + metric_prefix + "splits)");
    }
    table.finish();
    run.settings.push_back(setting);
}

}  // namespace ventral::config
