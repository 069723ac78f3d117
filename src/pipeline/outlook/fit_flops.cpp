#include "pipeline/outlook/fit_flops.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "metrics/fitted_targets.hpp"
#include "metrics/pls.hpp"
#include "metrics/registered_metrics.hpp"
#include "stats/gram/kernel.hpp"
#include "stats/regression/ridge_folds.hpp"
#include "stats/similarity/cka.hpp"

namespace ventral::pipeline {
namespace {

using metrics::MetricFamily;

/// Passes of the power iteration that a component of PLS takes on recordings, on average.
constexpr double pls_passes = 40;

double cube(double x) { return x * x * x; }

/// n, p, m, t and s of the table.
struct Sizes {
    double rows, features, targets, train = 0, test = 0;

    /// Of K over some rows with a vector.
    double kernel_product(double of_rows) const {
        const bool narrow = stats::has_narrow_form(static_cast<std::size_t>(rows),
                                                   static_cast<std::size_t>(features));
        return narrow ? 4 * of_rows * features : 2 * of_rows * of_rows;
    }
};

FitFlops pls_of_features(const Sizes& of, double components) {
    const double squares = of.features * of.features;
    FitFlops flops;
    flops.products = 2 * of.targets * (of.train * of.features + squares);
    flops.passes = components * (8 * of.train * of.features + pls_passes * 4 * squares);
    return flops;
}

FitFlops pls(const Sizes& of, double components) {
    const double q = std::min(of.targets, of.train);
    const double least = std::min(of.train, of.rows - of.train);
    FitFlops flops;
    flops.products = of.kernel_product(least) * q + 4 * least * q * q +
                     (of.targets > of.train ? 2 * of.rows * of.rows * of.targets : 0);
    flops.passes =
        components * (2 * of.kernel_product(of.rows) + 6 * of.rows * q + pls_passes * 2 * q * q);
    return flops;
}

/// K Y and Yᵀ K Y of all rows, of which the lower triangle; `train` being the rows of the largest
/// fold.
double pls_shared(const Sizes& of) {
    const double q = std::min(of.targets, of.train);
    return of.kernel_product(of.rows) * q + of.rows * q * q;
}

FitFlops ridge_of_fold(const Sizes& of) {
    const double least = std::min(of.test, of.targets);
    return {cube(of.train) / 3 + 2 * of.train * of.train * least +
            2 * of.train * of.test * of.targets};
}

/// `rows` being those whose products the fold makes.
FitFlops ridge_of_features(const Sizes& of, double rows) {
    return {rows * of.features * of.features + cube(of.features) / 3 +
            2 * (of.train + of.test) * of.features * of.targets};
}

/// `rows` being those held out by some fold.
FitFlops ridge_shared(const Sizes& of, double rows) {
    return {2 * rows * of.test * of.targets + cube(of.test) / 3 +
            2 * of.test * of.test * of.targets};
}

FitFlops linear(const Sizes& of) {
    const double reduced = std::min(of.rows, of.features);
    const double factorising = 2 * of.train * reduced * std::min(of.train, reduced);
    if (of.train <= of.features)
        return {factorising + 2 * (of.train + of.test) * reduced * of.targets};
    const double by_coefficients = (4 * of.train + 2 * of.test) * of.features * of.targets;
    const double by_weights = of.train * of.test * (4 * of.features + 2 * of.targets);
    return {factorising + std::min(by_coefficients, by_weights)};
}

FitFlops neuron_to_neuron(const Sizes& of) {
    return {2 * of.train * of.features * of.targets, 6 * of.train * of.features};
}

FitFlops cka(const Sizes& of) {
    const auto size = [](double of_any) { return static_cast<std::size_t>(of_any); };
    const bool narrow = stats::has_narrow_form(size(of.rows), size(of.features));
    if (narrow && stats::cka_prefers_factors(size(of.test), size(of.features), size(of.targets))) {
        const double columns = of.features + of.targets;
        return {of.test * columns * columns};
    }
    return {of.test * of.test * of.targets, 6 * of.test * of.test};
}

FitFlops rdm(const Sizes& of) {
    const double pairs = std::max(2.0, of.test * (of.test - 1) / 2);
    return {0, 2 * pairs * (4 * std::log2(pairs) + 10)};
}

/// A row of the table.
struct Route {
    std::function<FitFlops(const Sizes&)> fold;
    FitFlops all_folds = {};
};

Route ridge_route(const metrics::RegressionPlan& plan, const Sizes& of) {
    const double n = of.rows;
    const auto rows = plan.targets.rows();
    if (of.features < n) {
        if (stats::TrainProducts::pay(plan.folds, rows))
            return {[n](const Sizes& fold) { return ridge_of_features(fold, n - fold.train); },
                    {.shared = n * of.features * of.features}};
        return {[](const Sizes& fold) { return ridge_of_features(fold, fold.train); }};
    }
    if (!stats::one_factorisation_pays(plan.folds, rows, metrics::fitted_targets(plan).cols()))
        return {ridge_of_fold};
    const auto u = static_cast<double>(plan.held_out());
    return {[u](const Sizes& fold) { return ridge_shared(fold, u); },
            {.shared = cube(n) / 3 + 2 * cube(u) / 3 + (n * n + u * u) * of.targets}};
}

Route pls_route(const metrics::MetricOptions& metric, const metrics::RegressionPlan& plan,
                Sizes of) {
    const auto components = static_cast<double>(metric.n_components);
    if (metrics::fits_pls_on_features(metric, plan.folds, static_cast<std::size_t>(of.features),
                                      metrics::fitted_targets(plan).cols()))
        return {[=](const Sizes& fold) { return pls_of_features(fold, components); }};
    for (const auto& fold : plan.folds)
        of.train = std::max(of.train, static_cast<double>(fold.train.size()));
    return {[=](const Sizes& fold) { return pls(fold, components); }, {.shared = pls_shared(of)}};
}

Route route_of(const metrics::MetricOptions& metric, const metrics::RegressionPlan& plan,
               const Sizes& of) {
    switch (metrics::find_metric(metric.name).family) {
        case MetricFamily::pls:
            return pls_route(metric, plan, of);
        case MetricFamily::ridge:
            return ridge_route(plan, of);
        case MetricFamily::linear:
            return {linear};
        case MetricFamily::neuron_to_neuron:
            return {neuron_to_neuron};
        case MetricFamily::cka:
            return {cka};
        case MetricFamily::rdm:
            return {rdm, {.products = of.rows * of.rows * of.targets}};
    }
    return {};
}

}  // namespace

FitFlops& FitFlops::operator+=(const FitFlops& more) {
    products += more.products;
    passes += more.passes;
    shared += more.shared;
    return *this;
}

FitFlops operator*(double factor, const FitFlops& flops) {
    return {factor * flops.products, factor * flops.passes, factor * flops.shared};
}

FitFlops fit_flops(const metrics::MetricOptions& metric, const metrics::RegressionPlan& plan,
                   std::size_t features) {
    Sizes sizes{static_cast<double>(plan.targets.rows()), static_cast<double>(features),
                static_cast<double>(metrics::fitted_targets(plan).cols())};
    const auto route = route_of(metric, plan, sizes);
    auto sum = route.all_folds;
    for (const auto& fold : plan.folds) {
        sizes.train = static_cast<double>(fold.train.size());
        sizes.test = static_cast<double>(fold.test.size());
        sum += route.fold(sizes);
    }
    return sum;
}

}  // namespace ventral::pipeline
