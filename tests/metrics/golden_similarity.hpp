#pragma once
/// @file
/// The inputs of a golden as the similarity metrics are given them.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "core/assembly.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/pairing.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_plan.hpp"
#include "stats/gram_problem.hpp"
#include "stats/similarity/correlation.hpp"
#include "support/golden.hpp"

namespace ventral::test {

/// Rows are the target's; folds test them in order of their stimulus ids.
struct SimilarityInputs {
    core::Assembly target;
    GramProblem stored;
    std::vector<Eigen::Index> by_id;
    std::vector<Eigen::Index> given_order;  ///< as the source's assembly has them

    stats::Problem problem() const {
        auto problem = stored.with_features();
        problem.given_order = given_order;
        return problem;
    }

    std::vector<stats::FoldRows> all_rows() const { return {{{}, by_id}}; }

    /// The first `count` stimuli.
    std::vector<stats::FoldRows> first_rows(std::size_t count) const {
        return {{{}, {by_id.begin(), by_id.begin() + static_cast<std::ptrdiff_t>(count)}}};
    }

    /// The test rows of the reference's `TestOnlyCrossValidation(test_size=.9)`.
    std::vector<stats::FoldRows> test_rows() const {
        metrics::CrossValidationOptions options;
        options.test_size = 0.9;
        auto folds = metrics::cross_validation_splits(target, options);
        for (auto& fold : folds) {
            std::vector<Eigen::Index> sorted;
            for (const auto row : by_id)
                if (std::find(fold.test.begin(), fold.test.end(), row) != fold.test.end())
                    sorted.push_back(row);
            fold.test = sorted;
        }
        return folds;
    }
};

inline std::optional<SimilarityInputs> similarity_inputs(const std::string& folder,
                                                         const std::string& source = "source") {
    const auto source_path = golden_path(folder + "/" + source + ".nc");
    const auto target_path = golden_path(folder + "/target.nc");
    if (!source_path || !target_path) return std::nullopt;
    const auto features = metrics::presentation_by_neuroid(io::read_assembly(*source_path));
    const auto target = metrics::presentation_by_neuroid(io::read_assembly(*target_path));
    const auto ids = core::texts(target, "stimulus_id");
    const auto pairs = metrics::pair_rows(core::texts(features, "stimulus_id"), ids);
    const auto matched = core::take(features, "presentation", pairs);
    const auto& id_values = core::coordinate(target, "stimulus_id").values;
    std::vector<Eigen::Index> by_id;
    for (const auto position : core::sorted_positions({&id_values}, ids.size()))
        by_id.push_back(static_cast<Eigen::Index>(position));
    std::vector<Eigen::Index> given_order(pairs.size());
    for (std::size_t row = 0; row < pairs.size(); ++row)
        given_order[pairs[row]] = static_cast<Eigen::Index>(row);
    return SimilarityInputs{target,
                            GramProblem(metrics::matrix_of(matched), metrics::matrix_of(target)),
                            by_id, given_order};
}

/// One value, or one a split with their mean and error, within `tolerance` of the golden's.
inline void check_similarity(const std::vector<metrics::FoldResult>& results,
                             const nlohmann::json& expected, double tolerance) {
    std::vector<double> values;
    for (const auto& result : results) {
        REQUIRE(result.r.size() == 1);
        values.push_back(result.r[0]);
    }
    const double found = stats::nan_mean(values);
    CAPTURE(found, expected.at("value"));
    CHECK(is_golden(found, expected.at("value"), tolerance));
    if (!expected.contains("raw")) return;
    const auto& raw = expected.at("raw").at("values");
    REQUIRE(raw.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(is_golden(values[i], raw[i], tolerance));
    const double error = stats::nan_std(values) / std::sqrt(static_cast<double>(values.size()));
    CHECK(is_golden(error, expected.at("error"), tolerance));
}

}  // namespace ventral::test
