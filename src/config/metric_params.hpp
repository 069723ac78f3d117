#pragma once
/// @file
/// The parameters of a metric or ceiling as JSON, in the words of Brain-Score's own arguments.

#include <string>

#include "metrics/options.hpp"

namespace ventral::config {

/// Reads the `params` object of `ventral metric`: `crossvalidation_kwargs` (splits, train_size,
/// test_size, kfold, stratification_coord, split_coord, unique_split_values, random_state),
/// `regression_kwargs` (n_components, alpha, alphas, form: "gram" stays with the Gram whatever its
/// guard says), `alphas` (a list, or "ALPHA_LIST"); `upcast_to_float64` is accepted and changes
/// nothing, since everything is computed in float64. Throws `core::InputError` on an unknown key, a
/// wrong type or a value out of range.
metrics::MetricOptions metric_options(const std::string& metric, const std::string& params_json);

/// A ceiling takes no parameters yet: anything but an empty object is an error.
void check_ceiling_params(const std::string& params_json);

}  // namespace ventral::config
