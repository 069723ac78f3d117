#include "config/metric_params.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

#include "config/metric_limits.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"
#include "io/json_problem.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::config {
namespace {

using Json = nlohmann::json;
using Readers = std::map<std::string, std::function<void(const Json&)>>;

Json parse(const std::string& text) {
    try {
        return Json::parse(text.empty() ? "{}" : text);
    } catch (const Json::exception& error) {
        throw core::InputError("--params: not JSON (" + io::json_problem(error, text) + ")");
    }
}

[[noreturn]] void wrong(const std::string& key, const std::string& what) {
    throw core::InputError("--params: '" + key + "' must be " + what);
}

/// Hands each member to its reader; a member without one is an error.
void read_object(const Json& object, const std::string& name, const Readers& readers) {
    if (!object.is_object()) wrong(name, "an object");
    for (const auto& [key, value] : object.items()) {
        const auto reader = readers.find(key);
        if (reader == readers.end()) {
            std::vector<std::string> known;
            for (const auto& [each, ignored] : readers) known.push_back(each);
            throw core::InputError("--params: " + unknown_name("key", key, known) + " in " + name);
        }
        reader->second(value);
    }
}

constexpr std::int64_t largest_seed = 0xffffffff;

std::int64_t whole(const std::string& key, const Json& value, std::int64_t least,
                   std::int64_t most) {
    // A number beyond the signed ones reads as a negative one.
    const bool fits = value.is_number_integer() && value.get<std::int64_t>() >= least &&
                      value.get<std::int64_t>() <= most;
    if (!fits)
        wrong(key, "a whole number of at least " + std::to_string(least) + " and at most " +
                       std::to_string(most));
    return value.get<std::int64_t>();
}

std::optional<double> part(const std::string& key, const Json& value) {
    if (value.is_null()) return std::nullopt;
    const double size = value.is_number() ? value.get<double>() : 0;
    const bool is_count = value.is_number_integer() && size >= 1;
    if (!is_count && !(size > 0 && size < 1))
        wrong(key, "a fraction between 0 and 1, a whole number of at least 1, or null");
    return size;
}

bool flag(const std::string& key, const Json& value) {
    if (!value.is_boolean()) wrong(key, "true or false");
    return value.get<bool>();
}

std::string text(const std::string& key, const Json& value) {
    if (!value.is_string()) wrong(key, "a text");
    return value.get<std::string>();
}

std::vector<double> alphas(const Json& value) {
    if (value == "ALPHA_LIST") return {};
    const bool good = value.is_array() && !value.empty() &&
                      std::all_of(value.begin(), value.end(), [](const Json& alpha) {
                          return alpha.is_number() && alpha.get<double>() > 0;
                      });
    if (!good) wrong("alphas", "a list of numbers above 0, or \"ALPHA_LIST\"");
    return value.get<std::vector<double>>();
}

Readers cross_validation_readers(metrics::CrossValidationOptions& options,
                                 metrics::SaidSizes& said) {
    return {
        {"splits",
         [&](const Json& v) {
             options.splits = static_cast<std::size_t>(whole("splits", v, 1, most_splits));
         }},
        {"train_size",
         [&](const Json& v) {
             options.train_size = part("train_size", v);
             said.train = true;
         }},
        {"test_size",
         [&](const Json& v) {
             options.test_size = part("test_size", v);
             said.test = true;
         }},
        {"kfold", [&](const Json& v) { options.kfold = flag("kfold", v); }},
        {"split_coord", [&](const Json& v) { options.split_coordinate = text("split_coord", v); }},
        {"stratification_coord",
         [&](const Json& v) {
             options.stratification_coordinate.reset();
             if (!v.is_null()) options.stratification_coordinate = text("stratification_coord", v);
         }},
        {"unique_split_values",
         [&](const Json& v) { options.unique_split_values = flag("unique_split_values", v); }},
        {"random_state",
         [&](const Json& v) {
             options.random_state =
                 static_cast<std::uint32_t>(whole("random_state", v, 0, largest_seed));
         }},
    };
}

Readers regression_readers(metrics::MetricOptions& options) {
    return {
        {"n_components",
         [&](const Json& v) {
             options.n_components =
                 static_cast<std::size_t>(whole("n_components", v, 1, most_components));
         }},
        {"alpha",
         [&](const Json& v) {
             if (!v.is_number() || !(v.get<double>() > 0)) wrong("alpha", "a number above 0");
             options.alpha = v.get<double>();
         }},
        {"alphas", [&](const Json& v) { options.alphas = alphas(v); }},
        {"form",
         [&](const Json& v) {
             if (v != "guarded" && v != "gram") wrong("form", "\"guarded\" or \"gram\"");
             options.gram_only = v == "gram";
         }},
    };
}

/// Those of the parameters that the metric takes. Others are errors, as they are where the
/// reference passes them on.
Readers taken_regression_readers(metrics::MetricOptions& options) {
    auto readers = regression_readers(options);
    for (auto& [key, reader] : readers)
        if (key != "form" && !metrics::takes(metrics::find_metric(options.name), key))
            reader = [key = key, name = options.name](const Json&) {
                throw core::InputError("--params: the metric '" + name + "' takes no '" + key +
                                       "'");
            };
    return readers;
}

}  // namespace

metrics::MetricOptions metric_options(const std::string& metric, const std::string& params_json) {
    metrics::MetricOptions options;
    options.name = metric;
    metrics::SaidSizes said;
    read_object(parse(params_json), "the parameters",
                {
                    {"crossvalidation_kwargs",
                     [&](const Json& v) {
                         read_object(v, "crossvalidation_kwargs",
                                     cross_validation_readers(options.cross_validation, said));
                     }},
                    {"regression_kwargs",
                     [&](const Json& v) {
                         read_object(v, "regression_kwargs", taken_regression_readers(options));
                     }},
                    {"alphas", taken_regression_readers(options).at("alphas")},
                    {"upcast_to_float64", [](const Json&) {}},
                });
    metrics::complete_sizes(options, said);
    return options;
}

void check_ceiling_params(const std::string& params_json) {
    read_object(parse(params_json), "the ceiling's parameters",
                {{"upcast_to_float64", [](const Json&) {}}});
}

}  // namespace ventral::config
