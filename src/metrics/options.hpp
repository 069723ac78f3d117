#pragma once
/// @file
/// What a metric or ceiling can be told; the defaults are Brain-Score's.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ventral::metrics {

/// Of the presentations, where nobody says how many are trained on, or compared without a fit.
inline constexpr double default_part = 0.9;

/// How presentations are split into train and test (NUMERICS section 3).
struct CrossValidationOptions {
    std::size_t splits = 10;
    /// Below 1 a fraction of the values that are split, else their number. One alone leaves its
    /// complement to the other (`complete_sizes` sees to what a user leaves out); without both
    /// `default_part` is trained on, or compared by metrics that do not fit.
    std::optional<double> train_size;
    std::optional<double> test_size;
    bool kfold = false;
    std::string split_coordinate = "stimulus_id";
    /// The coordinate whose labels are kept in proportion; nothing: not stratified.
    std::optional<std::string> stratification_coordinate = "object_name";
    bool unique_split_values = false;
    std::uint32_t random_state = 1;

    bool operator==(const CrossValidationOptions&) const = default;
};

/// One metric by its registered name ("pls", "ridge_split", …) with its parameters.
struct MetricOptions {
    std::string name;
    CrossValidationOptions cross_validation;
    std::size_t n_components = 25;  ///< of PLS
    double alpha = 1.0;             ///< of ridge
    std::vector<double> alphas;     ///< that ridgecv chooses from; empty: Brain-Score's list
    /// Stay with the Gram where its guard asks for the features: to see what it would cost.
    bool gram_only = false;

    bool operator==(const MetricOptions&) const = default;
};

/// One ceiling by its registered name; "none" means that scores have no ceiling.
struct CeilingOptions {
    std::string name = "internal_consistency";  ///< or "none"

    bool is_none() const { return name == "none"; }
};

}  // namespace ventral::metrics
