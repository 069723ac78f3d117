#include "config/metric_params.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/json_params.hpp"
#include "config/metric_limits.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::config {
namespace {

using Json = nlohmann::json;
constexpr std::int64_t largest_seed = 0xffffffff;

std::optional<double> part(const std::string& key, const Json& value) {
    if (value.is_null()) return std::nullopt;
    const double size = value.is_number() ? value.get<double>() : 0;
    const bool is_count = value.is_number_integer() && size >= 1;
    if (!is_count && !(size > 0 && size < 1))
        refuse_param(key, "a fraction between 0 and 1, a whole number of at least 1, or null");
    return size;
}

std::vector<double> alphas(const Json& value) {
    if (value == "ALPHA_LIST") return {};
    const bool good = value.is_array() && !value.empty() &&
                      std::all_of(value.begin(), value.end(), [](const Json& alpha) {
                          return alpha.is_number() && alpha.get<double>() > 0;
                      });
    if (!good) refuse_param("alphas", "a list of numbers above 0, or \"ALPHA_LIST\"");
    return value.get<std::vector<double>>();
}

MemberReaders cross_validation_readers(metrics::CrossValidationOptions& options,
                                       metrics::SaidSizes& said) {
    return {
        {"splits",
         [&](const Json& v) {
             options.splits = static_cast<std::size_t>(whole_number("splits", v, 1, most_splits));
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
                 static_cast<std::uint32_t>(whole_number("random_state", v, 0, largest_seed));
         }},
    };
}

MemberReaders regression_readers(metrics::MetricOptions& options) {
    return {
        {"n_components",
         [&](const Json& v) {
             options.n_components =
                 static_cast<std::size_t>(whole_number("n_components", v, 1, most_components));
         }},
        {"alpha", [&](const Json& v) { options.alpha = positive_number("alpha", v); }},
        {"alphas", [&](const Json& v) { options.alphas = alphas(v); }},
        {"form",
         [&](const Json& v) {
             if (v != "guarded" && v != "gram") refuse_param("form", "\"guarded\" or \"gram\"");
             options.gram_only = v == "gram";
         }},
    };
}

/// Those of the parameters that the metric takes. Others are errors, as they are where the
/// reference passes them on.
MemberReaders taken_regression_readers(metrics::MetricOptions& options) {
    auto readers = regression_readers(options);
    const auto& metric = metrics::find_metric(options.name);
    for (auto& [key, reader] : readers)
        if (key != "form" && !metrics::takes(metric, key))
            reader = [text = metrics::not_taken_text(metric, key)](const Json&) {
                throw core::InputError(text);
            };
    return readers;
}

constexpr auto place = "--params";

}  // namespace

metrics::MetricOptions metric_options(const std::string& metric, const std::string& params_json) {
    metrics::MetricOptions options;
    options.name = metric;
    metrics::SaidSizes said;
    const MemberReaders readers = {
        {"crossvalidation_kwargs",
         [&](const Json& v) {
             if (!metrics::draws_splits(metrics::find_metric(metric)) && !v.empty())
                 core::log_warning(std::string(place) +
                                   ": crossvalidation_kwargs change nothing (" + metric +
                                   " draws no splits)");
             read_members(v, "crossvalidation_kwargs",
                          cross_validation_readers(options.cross_validation, said));
         }},
        {"regression_kwargs",
         [&](const Json& v) {
             read_members(v, "regression_kwargs", taken_regression_readers(options));
         }},
        {"alphas", taken_regression_readers(options).at("alphas")},
        {"upcast_to_float64", [](const Json&) {}},
    };
    core::naming(place,
                 [&] { read_members(parse_params(params_json), "the parameters", readers); });
    metrics::complete_sizes(options, said);
    return options;
}

void check_ceiling_params(const std::string& params_json) {
    core::naming(place, [&] {
        read_members(parse_params(params_json), "the ceiling's parameters",
                     {{"upcast_to_float64", [](const Json&) {}}});
    });
}

}  // namespace ventral::config
