#pragma once
/// @file
/// Reads what a benchmark says about its metric and ceiling. Names that `metrics` does not
/// know are errors at their place.

#include "config/table.hpp"
#include "metrics/options.hpp"

namespace ventral::config {

/// { name = "pls", splits = 10, … }, or the bare name of the metric.
metrics::MetricOptions read_metric(const Value& value);

/// Takes the parameters that `table` has: splits, train_size, … (all but the name). Whether they
/// fit one another is asked of the result: give those that belong together in one table.
void read_metric_parameters(metrics::MetricOptions& options, Table& table);

/// { name = "internal_consistency" }, or the bare name of the ceiling.
metrics::CeilingOptions read_ceiling(const Value& value);

}  // namespace ventral::config
