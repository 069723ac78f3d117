#include "metrics/ridge.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "stats/folds/alike_rows.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/regression/ridge_features.hpp"
#include "stats/regression/ridge_folds.hpp"

namespace ventral::metrics {
namespace {

std::vector<FoldFit> fit_features(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds, double alpha,
                                  core::Workers& workers) {
    const stats::Matrix& reduced = problem.reduced.matrix();
    stats::KnownOfFeatures known{&problem.sums};
    stats::SharedFits own;
    auto& shared = problem.shared ? *problem.shared : own;
    const auto& products = shared.train_products.get(
        [&] {
            std::optional<stats::TrainProducts> made;
            if (stats::TrainProducts::pay(stats::all_folds_of(problem, folds), reduced.rows()))
                made.emplace(reduced, workers);
            return made;
        },
        &workers);
    if (products) known.products = &*products;
    std::vector<FoldFit> fits(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        fits[f].prediction =
            stats::ridge_predict_features(reduced, problem.targets, folds[f], alpha, known);
        fits[f].route = features_route;
    });
    return fits;
}

/// Of a row's squared distance from an ordinary row to that of another ordinary row. Above it the
/// products of ordinary rows, centred on rows among which that one is, may lose digits that
/// predictions need.
constexpr double dwarfing_square = 1e6;
/// Of a fold's guard. Below it little is gained: the reference's own system is hardly better.
constexpr double lossy_guard = 1e-10;

struct Distance {
    double square;
    Eigen::Index row;
    bool operator<(const Distance& other) const { return square < other.square; }
};

/// Distances from a row to all rows that are not the same.
std::vector<Distance> distances_from(Eigen::Index origin, const stats::Kernel& kernel) {
    const stats::Vector squares = kernel.diagonal();
    const stats::Vector products = kernel.columns_times({origin}, stats::Vector::Ones(1));
    std::vector<Distance> distances;
    for (Eigen::Index row = 0; row < squares.size(); ++row)
        if (row != origin && !stats::are_equal_rows(kernel, origin, row))
            distances.push_back({squares(row) + squares(origin) - 2 * products(row), row});
    return distances;
}

/// Distances, since K is of any offset. The row of the smallest square is taken for an ordinary
/// one, then the one in the lower quartile of all distances from it, which is ordinary also where
/// rows of several sizes have drawn the mean away from the others. False where three quarters are
/// far larger than the others.
bool may_have_dwarfing_row(const stats::Kernel& kernel) {
    constexpr int most_turns = 3;
    if (kernel.rows() == 0) return false;
    Eigen::Index ordinary = 0;
    kernel.diagonal().minCoeff(&ordinary);
    for (int turn = 0; turn < most_turns; ++turn) {
        auto distances = distances_from(ordinary, kernel);
        if (distances.empty()) return false;
        const auto quartile = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 4);
        std::nth_element(distances.begin(), quartile, distances.end());
        if (std::max_element(quartile, distances.end())->square >
            dwarfing_square * quartile->square)
            return true;
        ordinary = quartile->row;
    }
    return false;
}

/// Each fold alone, on the features if its Gram has lost digits and they are at hand. One after the
/// other: nobody who plans for a shared factorisation knows of them.
std::vector<FoldFit> fit_guarded(const stats::Problem& problem,
                                 std::span<const stats::FoldRows> folds,
                                 const MetricOptions& options, core::Workers& workers) {
    std::vector<FoldFit> fits;
    for (const auto& fold : folds) {
        auto found = stats::ridge_predict_guarded(problem, fold, options.alpha, workers);
        auto& fit = fits.emplace_back();
        fit.prediction = std::move(found.prediction);
        if (found.guard <= lossy_guard) continue;
        fit.margins.guard = found.guard;
        if (!problem.reduced.available() || options.gram_only) continue;
        fit.prediction = stats::ridge_predict_features(problem.reduced.matrix(), problem.targets,
                                                       fold, options.alpha, {&problem.sums});
        fit.route = both_routes;
    }
    return fits;
}

/// True if the folds can share a factorisation and it pays.
bool may_share(const stats::Problem& problem, std::span<const stats::FoldRows> folds) {
    const auto rows = problem.kernel.rows();
    return problem.features >= static_cast<std::size_t>(rows) &&
           stats::one_factorisation_pays(folds, rows, problem.targets.cols());
}

/// Predictions from the one factorisation for all folds of the score, as far as it has them.
std::vector<std::optional<stats::Matrix>> shared_predictions(const stats::Problem& problem,
                                                             std::span<const stats::FoldRows> folds,
                                                             double alpha, core::Workers& workers) {
    const std::vector<std::optional<stats::Matrix>> none(folds.size());
    const auto all_folds = stats::all_folds_of(problem, folds);
    if (!may_share(problem, all_folds)) return none;
    stats::SharedFits own;
    auto& shared = problem.shared ? *problem.shared : own;
    const auto& system = shared.ridge.get(
        [&] { return stats::RidgeSystem(problem, all_folds, alpha, workers); }, &workers);
    if (!system.usable()) return none;
    return system.predict(folds, workers);
}

}  // namespace

std::vector<FoldFit> fit_ridge(const stats::Problem& problem,
                               std::span<const stats::FoldRows> folds, const MetricOptions& options,
                               core::Workers& workers) {
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    if (problem.features < rows && problem.reduced.available())
        return fit_features(problem, folds, options.alpha, workers);
    if (options.alpha > 0 && may_have_dwarfing_row(problem.kernel))
        return fit_guarded(problem, folds, options, workers);
    std::vector<FoldFit> fits(folds.size());
    auto predictions = shared_predictions(problem, folds, options.alpha, workers);
    const bool is_shared =
        std::any_of(predictions.begin(), predictions.end(), [](const auto& p) { return p; });
    const auto fit = [&](std::size_t f) {
        fits[f].prediction = predictions[f]
                                 ? std::move(*predictions[f])
                                 : stats::ridge_predict(problem, folds[f], options.alpha, workers);
    };
    if (!is_shared)
        workers.parallel_for(folds.size(), fit);
    else  // what the folds share stays in memory beside the few that are fitted again
        for (std::size_t f = 0; f < folds.size(); ++f) fit(f);
    return fits;
}

}  // namespace ventral::metrics
