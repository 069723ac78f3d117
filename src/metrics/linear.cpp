#include "metrics/linear.hpp"

#include "core/errors.hpp"
#include "stats/regression/linear.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_linear(const stats::Problem& problem,
                                std::span<const stats::FoldRows> folds, const MetricOptions&,
                                core::Workers& workers) {
    if (!problem.reduced.available())
        throw core::InputError(
            "linear_predictivity needs the features themselves, of which only the Gram is at hand "
            "(their small singular values are lost in it); extract them again");
    const stats::Matrix& reduced = problem.reduced.matrix();
    std::vector<FoldFit> fits(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        fits[f].prediction =
            stats::linear_predict(reduced, problem.targets, problem.features, folds[f]);
        fits[f].route = features_route;
    });
    return fits;
}

}  // namespace ventral::metrics
