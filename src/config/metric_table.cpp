#include "config/metric_table.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/neural.hpp"
#include "config/metric_limits.hpp"
#include "config/unknown_name.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::config {
namespace {

std::optional<double> size_or_none(const Value& value) {
    if (value.is_text() && value.text() == "none") return std::nullopt;
    return value.part();
}

void read_sizes(metrics::MetricOptions& options, Table& table) {
    auto& split = options.cross_validation;
    const auto train = table.find("train_size");
    const auto test = table.find("test_size");
    if (train) split.train_size = size_or_none(*train);
    if (test) split.test_size = size_or_none(*test);
    metrics::complete_sizes(options, {train.has_value(), test.has_value()});
    const auto draws_splits = [&] {  // what is set for all metrics of a run has no name
        return options.name.empty() || metrics::draws_splits(metrics::find_metric(options.name));
    };
    const auto kfold = table.find("kfold");
    // At the size that contradicts it, if one is said.
    const auto* said = kfold ? &*kfold : nullptr;
    if (train && split.train_size != metrics::default_part) said = &*train;
    if (test && split.test_size) said = &*test;
    if (said && !options.name.empty() && metrics::contradicts_kfold(options))
        said->fail(metrics::no_size_beside_kfold);
    const double trained = split.train_size.value_or(0), tested = split.test_size.value_or(0);
    if ((train || test) && trained < 1 && tested < 1 && trained + tested > 1 && draws_splits())
        (test ? test : train)
            ->fail(
                "'train_size' and 'test_size' are more than 1 together (0.9 is trained on, or "
                "compared without a fit, unless that size is given too, or \"none\")");
}

void read_cross_validation(metrics::MetricOptions& metric, Table& table) {
    auto& options = metric.cross_validation;
    const auto kfold = table.find("kfold");
    if (kfold) options.kfold = kfold->flag();
    if (const auto splits = table.find("splits"))
        options.splits =
            static_cast<std::size_t>(splits->integer(options.kfold ? 2 : 1, most_splits));
    else if (kfold && options.kfold && options.splits < 2)
        kfold->fail("'kfold' needs at least 2 splits, not " + std::to_string(options.splits) +
                    " (give 'splits' too)");
    read_sizes(metric, table);
    if (const auto coordinate = table.find("stratification")) {
        options.stratification_coordinate = coordinate->text();
        if (options.stratification_coordinate == "none") options.stratification_coordinate.reset();
    }
    if (const auto unique = table.find("unique_split_values"))
        options.unique_split_values = unique->flag();
}

/// One that is registered; `benchmarks::check_supported` says which cannot be scored in a run.
template <typename Registered>
std::string known_name(const Value& value, const std::string& kind, const Registered& registered,
                       const std::vector<std::string>& supported) {
    auto name = value.text();
    const bool is_registered = std::any_of(registered.begin(), registered.end(),
                                           [&](const auto& each) { return each.name == name; });
    if (!is_registered && std::find(supported.begin(), supported.end(), name) == supported.end())
        value.fail(unknown_name(kind, name, supported));
    return name;
}

std::string metric_name(const Value& value) {
    return known_name(value, "metric", metrics::registered_metrics(),
                      benchmarks::supported_metrics());
}

std::string ceiling_name(const Value& value) {
    return known_name(value, "ceiling", metrics::registered_ceilings(),
                      benchmarks::supported_ceilings());
}

/// Fails at a parameter of another regression. Those of splits may stand with any metric, as one
/// text for a family of benchmarks.
void check_taken(const std::string& name, Table& table) {
    const auto& metric = metrics::find_metric(name);
    for (const std::string parameter : {"n_components", "alpha", "alphas"})
        if (const auto value = table.find(parameter))
            if (!metrics::takes(metric, parameter))
                value->fail(metrics::not_taken_text(metric, parameter));
}

}  // namespace

void read_metric_parameters(metrics::MetricOptions& options, Table& table) {
    read_cross_validation(options, table);
    if (const auto components = table.find("n_components"))
        options.n_components = static_cast<std::size_t>(components->integer(1, most_components));
    if (const auto alpha = table.find("alpha")) options.alpha = alpha->positive_number();
    if (const auto alphas = table.find("alphas")) {
        options.alphas.clear();
        for (const auto& alpha : alphas->list()) options.alphas.push_back(alpha.positive_number());
    }
}

metrics::MetricOptions read_metric(const Value& value) {
    metrics::MetricOptions options;
    if (value.is_text()) {
        options.name = metric_name(value);
        return options;
    }
    if (!value.is_table()) value.fail_type("a table { name = … } or the name of a metric");
    auto table = value.table();
    options.name = metric_name(table.need("name"));
    check_taken(options.name, table);
    read_metric_parameters(options, table);
    table.finish();
    return options;
}

metrics::CeilingOptions read_ceiling(const Value& value) {
    if (value.is_text()) return {ceiling_name(value)};
    if (!value.is_table()) value.fail_type("a table { name = … } or the name of a ceiling");
    auto table = value.table();
    metrics::CeilingOptions options{ceiling_name(table.need("name"))};
    table.finish();
    return options;
}

}  // namespace ventral::config
