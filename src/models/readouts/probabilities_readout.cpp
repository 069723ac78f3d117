#include "models/readouts/probabilities_readout.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "models/readouts/readout_features.hpp"
#include "stats/logistic/standard_scaler.hpp"

namespace ventral::models {
namespace {

struct NumberedLabels {
    core::Values labels;               ///< in the order of their first appearance
    std::size_t count = 0;             ///< of them
    std::vector<std::size_t> of_rows;  ///< the number of each presentation's label
};

NumberedLabels numbered_labels(const core::Assembly& features) {
    const auto& labels = core::coordinate(features, "image_label");
    if (labels.dim != "presentation")
        throw core::InputError(features.name + ": 'image_label' does not label presentations");
    NumberedLabels numbered;
    std::vector<std::size_t> firsts;  // presentations
    for (std::size_t row = 0; row < core::value_count(labels.values); ++row) {
        const auto found = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
            return core::equal(labels.values, first, row);
        });
        numbered.of_rows.push_back(static_cast<std::size_t>(found - firsts.begin()));
        if (found == firsts.end()) firsts.push_back(row);
    }
    if (firsts.size() < 2)
        throw core::InputError(features.name + ": has one label only, '" +
                               core::text(labels.values, 0) + "' (a classifier needs two)");
    numbered.labels = core::take(labels.values, firsts);
    numbered.count = firsts.size();
    return numbered;
}

void check_alike(const core::Assembly& fitting, const core::Assembly& test) {
    if (fitting.values.index() == test.values.index() && fitting.dims[1].size == test.dims[1].size)
        return;
    const auto shape = [](const core::Assembly& features) {
        return std::to_string(features.dims[1].size) + " neuroids of " +
               core::type_name(features.values);
    };
    throw core::InputError(test.name + ": has " + shape(test) + ", but the fitting features have " +
                           shape(fitting) + " (both must come from one layer of one model)");
}

template <typename Real>
void put_coefficients(const stats::RowTable<Real>& fitted, LabelProbabilities& result) {
    const Eigen::Index last = fitted.cols() - 1;
    for (Eigen::Index k = 0; k < fitted.rows(); ++k) {
        const auto row = stats::row_entries(fitted, k);
        result.coefficients.emplace_back(row.begin(), row.end() - 1);
        result.intercepts.push_back(static_cast<double>(fitted(k, last)));
    }
}

template <typename Real>
LabelProbabilities fit_and_read(const core::Assembly& fitting, const core::Assembly& test,
                                const stats::LogisticOptions& options) {
    const auto numbered = numbered_labels(fitting);
    auto fitting_table = feature_table<Real>(fitting);
    auto test_table = feature_table<Real>(test);
    const auto scales = stats::feature_scales(fitting_table);
    stats::standardise(fitting_table, scales);
    stats::standardise(test_table, scales);
    check_not_overflowed(fitting_table, fitting, "standardised features");
    check_not_overflowed(test_table, test, "standardised features");
    const auto fit =
        stats::fit_logistic_regression(fitting_table, numbered.of_rows, numbered.count, options);
    LabelProbabilities result;
    auto& probabilities = result.probabilities;
    probabilities.dims = {test.dims[0], {"choice", numbered.count}};
    const auto predicted = stats::predict_probabilities(fit, test_table);
    check_not_overflowed(predicted, test, "probabilities");
    probabilities.values = values_of(predicted);
    probabilities.coordinates = presentation_coordinates(test);
    probabilities.coordinates.push_back({"choice", "choice", numbered.labels});
    probabilities.attributes["assembly_class"] = "BehavioralAssembly";
    put_coefficients(fit.coefficients, result);
    result.iterations = fit.iterations;
    result.end = fit.end;
    return result;
}

}  // namespace

LabelProbabilities read_probabilities(const core::Assembly& fitting_features,
                                      const core::Assembly& test_features,
                                      const stats::LogisticOptions& options) {
    const auto fitting = readout_features(fitting_features);
    const auto test = readout_features(test_features);
    check_alike(fitting, test);
    if (std::holds_alternative<std::vector<float>>(fitting.values))
        return fit_and_read<float>(fitting, test, options);
    return fit_and_read<double>(fitting, test, options);
}

}  // namespace ventral::models
