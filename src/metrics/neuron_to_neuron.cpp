#include "metrics/neuron_to_neuron.hpp"

#include "stats/regression/neuron_to_neuron.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_neuron_to_neuron(const stats::Problem& problem,
                                          std::span<const stats::FoldRows> folds,
                                          const MetricOptions&, core::Workers& workers) {
    std::vector<FoldFit> fits;
    for (auto& fold : stats::neuron_to_neuron_predict(problem, folds, workers)) {
        FoldFit fit;
        fit.prediction = std::move(fold.prediction);
        fit.margins.argmax_gap = fold.argmax_gap;
        fit.route = features_route;
        fits.push_back(std::move(fit));
    }
    return fits;
}

}  // namespace ventral::metrics
