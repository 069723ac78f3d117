#include "metrics/fit_buffers.hpp"

#include <algorithm>
#include <utility>

#include "core/allocator.hpp"
#include "metrics/fitted_targets.hpp"
#include "metrics/pls.hpp"
#include "metrics/registered_metrics.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/kernel.hpp"
#include "stats/regression/linear.hpp"
#include "stats/regression/ridge_folds.hpp"
#include "stats/regression/slab_correlations.hpp"
#include "stats/similarity/rdm.hpp"

namespace ventral::metrics {
namespace {

double square(double x) { return x * x; }

/// n, p, m, t, s and F of the table.
struct Sizes {
    double rows, features, targets, train = 0, test = 0, folds = 0;

    double slab() const { return std::min(features, static_cast<double>(stats::slab_features)); }
    double reduced() const { return std::min(rows, features); }
    bool is_narrow() const {
        return stats::has_narrow_form(static_cast<std::size_t>(rows),
                                      static_cast<std::size_t>(features));
    }
};

Sizes sizes_of(const RegressionPlan& plan, std::size_t features) {
    Sizes of{static_cast<double>(plan.targets.rows()), static_cast<double>(features),
             static_cast<double>(fitted_targets(plan).cols())};
    for (const auto& fold : plan.folds) {
        of.train = std::max(of.train, static_cast<double>(fold.train.size()));
        of.test = std::max(of.test, static_cast<double>(fold.test.size()));
    }
    of.folds = static_cast<double>(std::min(fold_group, plan.folds.size()));
    return of;
}

FitBuffers pls_of_features(const Sizes& of, double components) {
    const double block = std::min(of.targets, 1024.0);
    const double loadings = of.targets * components;
    const double scores = of.train * components;
    FitBuffers buffers;
    buffers.rank = of.rows * of.features;
    buffers.fold = (of.train + of.features) * of.features + scores +
                   std::max({block * (of.train + of.features), block * of.train + loadings + scores,
                             2 * loadings + of.test * of.features});
    return buffers;
}

FitBuffers pls(const Sizes& of, double components) {
    constexpr double score_tiles = 256;  // columns of two tiles, which share what they add up in
    const bool columns = of.targets <= of.train;
    const double q = std::min(of.targets, columns ? of.targets : of.rows);
    const double left_out = std::min(of.train, of.rows - of.train);
    FitBuffers buffers;
    const double of_folds =
        of.folds * (of.rows * q + q * q / 2 + components * (3 * of.rows + of.train + q));
    const double score_products = of.is_narrow() ? of.folds * (of.rows + of.features)
                                                 : of.folds * square(of.rows) / score_tiles;
    buffers.group = 2 * of.rows * q + q * q + of_folds + score_products;
    if (!columns) {
        const double slab = std::min(of.targets, static_cast<double>(stats::slab_features));
        buffers.group =
            std::max(buffers.group, square(of.rows) + std::max(2 * of.rows * slab, of.rows * q));
    }
    const double kernel_part = of.is_narrow() ? of.features * (left_out + q) : of.rows * left_out;
    buffers.fold = kernel_part + left_out * q;
    return buffers;
}

/// Singular vectors of the train rows, LAPACK's work space, and then their product.
double decomposition(const Sizes& of) {
    const double matrix = of.train * of.features;
    const double rank = std::min(of.features, of.train);
    return matrix + rank * (of.train + of.features) + std::max(4 * square(rank), matrix);
}

FitBuffers ridge_of_features(const Sizes& of, double alpha) {
    // What rounding leaves of the squares of some thousand activations of some tens.
    constexpr double lost_in_rounding = 1e-6;
    FitBuffers buffers;
    buffers.rank = of.rows * of.features;
    // Blocks below `large_block` are kept when they are freed, and what is left of a fold's
    // predictions lies in the place of its products, so that the next ones may not fit there.
    constexpr double large_block = static_cast<double>(core::large_block) / sizeof(double);
    const double products = of.features * std::min(of.features, of.train);
    buffers.fold = of.train * (of.features + of.targets) + of.features * of.targets + products +
                   std::min(products, large_block) / 2;
    if (alpha < lost_in_rounding) buffers.fold += decomposition(of);
    return buffers;
}

FitBuffers ridge_shared(const Sizes& of, double held_out) {
    FitBuffers buffers;
    buffers.task = held_out * (held_out + of.targets);
    buffers.making = of.rows * (of.rows + of.targets) + held_out * held_out + buffers.task;
    buffers.fold = held_out * of.test + 2 * square(of.test);
    return buffers;
}

FitBuffers ridge_of_fold(const Sizes& of) {
    FitBuffers buffers;
    buffers.fold = of.train * (of.train + of.test + of.targets + std::min(of.test, of.targets));
    return buffers;
}

FitBuffers linear(const Sizes& of) {
    constexpr double target_block = 1024;
    const double block = 2 * of.train * std::min(of.targets, target_block);
    FitBuffers buffers;
    buffers.rank = of.rows * of.reduced();
    if (of.train > of.features)
        buffers.fold =
            2 * of.train * of.features + 2 * of.test * of.features + block +
            (stats::predicts_by_weights(of.test, of.features, of.targets) ? of.train * of.test : 0);
    else
        buffers.fold = std::max(of.reduced(), of.train) * (of.train + of.test) +
                       of.test * of.reduced() + block;
    return buffers;
}

FitBuffers neuron_to_neuron(const Sizes& of) {
    constexpr double blocks = stats::SlabCorrelations::feature_block +
                              static_cast<double>(stats::SlabCorrelations::target_block);
    FitBuffers buffers;
    const double chosen = std::min(of.slab(), 2 * of.folds * of.targets);
    // A slab as it is read, the next one if there is one, and one centred.
    const double next = std::min(of.slab(), of.features - of.slab());
    buffers.group = of.rows * (2 * of.slab() + next) + of.rows * of.targets + of.rows * chosen;
    buffers.fold = blocks * of.train;
    return buffers;
}

FitBuffers cka(const Sizes& of) {
    constexpr double columns = 64;  // 32 of either kernel
    FitBuffers buffers;
    if (of.targets > of.rows) {
        const auto rows = static_cast<std::size_t>(of.rows);
        const auto targets = static_cast<std::size_t>(of.targets);
        const double scratch = static_cast<double>(stats::gram_sizes(rows, targets).scratch());
        const double slab =
            of.rows * std::min(of.targets, static_cast<double>(stats::slab_features));
        buffers.group = square(of.rows) + scratch + std::max(square(of.rows), slab);
    } else {
        buffers.group = of.test * of.targets;
    }
    if (of.is_narrow()) buffers.group += of.test * of.features;
    buffers.fold = columns * of.test;
    return buffers;
}

/// Products of all rows with all others, and the most that making them takes beside.
std::pair<double, double> row_products(const Sizes& of, double columns) {
    const double slab = std::min(columns, static_cast<double>(stats::slab_features));
    return {square(of.rows), square(of.rows) / 2 + 2 * of.rows * slab};
}

FitBuffers rdm(const Sizes& of) {
    // Dissimilarities of the features that were ranked first, those of the recordings and what
    // ranking takes: the number of a bucket, two bytes, and a copy of each.
    const double ranking = square(of.test) / 2 * (2 + 10.0 / 8);
    const auto rows = static_cast<std::size_t>(of.rows);
    const bool from_rows = stats::has_few_features(rows, static_cast<std::size_t>(of.features));
    const auto [source, making_source] = row_products(of, of.features);
    const auto [target, making_target] = row_products(of, of.targets);
    FitBuffers buffers;
    buffers.group = target + std::max(making_target, ranking);
    if (from_rows) {
        const double reader = 3 * of.rows * of.slab();
        buffers.group = source + reader + std::max(making_source, buffers.group);
    } else if (of.is_narrow()) {
        buffers.group += square(of.rows);
    }
    return buffers;
}

/// A kernel or features in the form that serves all alphas, and the fit with the chosen one.
FitBuffers ridgecv(const Sizes& of) {
    FitBuffers buffers;
    const double targets = 3 * of.train * of.targets;
    if (of.train > of.features) {
        buffers.rank = of.rows * of.features;
        buffers.fold = (of.train + of.test) * of.features + decomposition(of) + targets;
        return buffers;
    }
    const double spectrum = 3 * square(of.train) + targets;
    buffers.fold = std::max(spectrum, ridge_of_fold(of).fold);
    return buffers;
}

FitBuffers ridge(const RegressionPlan& plan, const Sizes& of, double alpha) {
    if (of.features < of.rows) {
        auto buffers = ridge_of_features(of, alpha);
        if (!stats::TrainProducts::pay(plan.folds, plan.targets.rows())) return buffers;
        buffers.task = square(of.features);
        const double anew =
            of.features / stats::TrainProducts::columns_to_one_anew * (of.train + of.features);
        buffers.fold += std::max((of.rows - of.train) * of.features, anew);
        return buffers;
    }
    const bool shared =
        stats::one_factorisation_pays(plan.folds, plan.targets.rows(), fitted_targets(plan).cols());
    return shared ? ridge_shared(of, static_cast<double>(plan.held_out())) : ridge_of_fold(of);
}

FitBuffers pls(const MetricOptions& metric, const RegressionPlan& plan, const Sizes& of) {
    const auto components = static_cast<double>(metric.n_components);
    return fits_pls_on_features(metric, plan.folds, static_cast<std::size_t>(of.features),
                                fitted_targets(plan).cols())
               ? pls_of_features(of, components)
               : pls(of, components);
}

FitBuffers of_family(const MetricOptions& metric, const RegressionPlan& plan, const Sizes& of) {
    switch (find_metric(metric.name).family) {
        case MetricFamily::pls:
            return pls(metric, plan, of);
        case MetricFamily::ridge:
            return takes(find_metric(metric.name), "alphas") ? ridgecv(of)
                                                             : ridge(plan, of, metric.alpha);
        case MetricFamily::linear:
            return linear(of);
        case MetricFamily::neuron_to_neuron:
            return neuron_to_neuron(of);
        case MetricFamily::cka:
            return cka(of);
        case MetricFamily::rdm:
            return rdm(of);
    }
    return {};
}

FitBuffers in_doubles(const MetricOptions& metric, const RegressionPlan& plan, const Sizes& of) {
    auto buffers = of_family(metric, plan, of);
    if (!has_neuroids(find_metric(metric.name))) return buffers;
    buffers.group += of.folds * of.test * of.targets;
    // Predictions are compared when the buffers of the folds have gone.
    buffers.fold = std::max(buffers.fold, of.test * static_cast<double>(plan.targets.cols()));
    return buffers;
}

}  // namespace

FitBuffers fit_buffers(const MetricOptions& metric, const RegressionPlan& plan,
                       std::size_t features) {
    const auto of = sizes_of(plan, features);
    auto buffers = in_doubles(metric, plan, of);
    for (auto* part :
         {&buffers.rank, &buffers.task, &buffers.making, &buffers.group, &buffers.fold})
        *part *= sizeof(double);
    buffers.groups = plan.groups();
    buffers.folds_a_group = std::min(fold_group, plan.folds.size());
    return buffers;
}

}  // namespace ventral::metrics
