#include "stats/regression/slab_correlations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/gram/centred_features.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Relative rounding of a sum of n products, against the sum of their sizes.
double rounding(Index n) { return static_cast<double>(n) * eps; }

/// Decides which folds are taken off the product of all rows: all that have fewer rows left out
/// than fitted on, if together they save more than that product costs.
void choose_factors(TrainTargets& targets, Index n) {
    Index saved = 0;
    std::vector<std::vector<Index>> others;
    for (const auto& fold : targets.folds) {
        others.push_back(unmarked_rows(marks_of(fold.rows->train, n)));
        saved += std::max<Index>(0, static_cast<Index>(fold.rows->train.size()) -
                                        static_cast<Index>(others.back().size()));
    }
    targets.any_left_out = saved > n;
    for (std::size_t f = 0; f < others.size(); ++f) {
        auto& fold = targets.folds[f];
        fold.left_out = targets.any_left_out && others[f].size() < fold.rows->train.size();
        fold.factors = fold.left_out ? others[f] : fold.rows->train;
    }
}

void add_scales(TrainTargets::Fold& fold, const Matrix& centred) {
    const auto& train = fold.rows->train;
    fold.mean = column_means(centred, train);
    fold.scale.resize(centred.cols());
    std::vector<double> values(train.size());
    for (Index t = 0; t < centred.cols(); ++t) {
        for (std::size_t i = 0; i < train.size(); ++i) values[i] = centred(train[i], t);
        if (is_constant(values)) {
            fold.scale(t) = nan;
            continue;
        }
        const auto in_product =
            fold.left_out ? column(centred, t) : std::span<const double>(values);
        const double whole = dot(in_product, in_product);
        for (double& value : values) value -= fold.mean(t);
        const double squares = dot(values, values);
        fold.scale(t) = 1 / std::sqrt(squares);
        fold.spread = std::max(fold.spread, std::sqrt(whole / squares));
    }
}

/// Centred and of unit length; NaN if it is constant.
void normalise_column(Eigen::Ref<Vector> values) {
    const std::span<double> x(values.data(), static_cast<std::size_t>(values.size()));
    if (is_constant(x)) {
        std::fill(x.begin(), x.end(), nan);
        return;
    }
    const double mean = sum(x) / static_cast<double>(x.size());
    for (double& value : x) value -= mean;
    const double length = euclidean_norm(x);
    for (double& value : x) value /= length;
}

}  // namespace

TrainTargets train_targets(const Matrix& targets, std::span<const FoldRows> folds) {
    const Index n = targets.rows();
    std::vector<Index> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), Index{0});
    TrainTargets result;
    result.centred = centred_rows(targets, all, column_means(targets, all));
    result.membership = Matrix::Zero(n, static_cast<Index>(folds.size()) + 1);
    result.membership.rightCols(1).setOnes();
    for (std::size_t f = 0; f < folds.size(); ++f) {
        if (folds[f].train.empty()) throw core::InputError("a fold has no train rows");
        for (const auto row : folds[f].train) result.membership(row, static_cast<Index>(f)) = 1;
        result.folds.emplace_back().rows = &folds[f];
    }
    choose_factors(result, n);
    for (auto& fold : result.folds) add_scales(fold, result.centred);
    return result;
}

Matrix values_of(const FeatureMatrix& slab, std::span<const Index> rows,
                 std::span<const std::size_t> features) {
    constexpr std::size_t together = 16;  // streams that are written at a time
    Matrix values(static_cast<Index>(rows.size()), static_cast<Index>(features.size()));
    std::visit(
        [&](const auto& all) {
            for (std::size_t first = 0; first < features.size(); first += together) {
                const std::size_t last = std::min(first + together, features.size());
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const auto* row = all.data() + static_cast<std::size_t>(rows[i]) * slab.stride;
                    for (std::size_t k = first; k < last; ++k)
                        values(static_cast<Index>(i), static_cast<Index>(k)) =
                            static_cast<double>(row[features[k]]);
                }
            }
        },
        slab.values);
    return values;
}

SlabCorrelations::SlabCorrelations(const FeatureMatrix& slab, const TrainTargets& targets,
                                   std::span<double> centred, core::Workers& workers)
    : slab_(slab), targets_(targets), centred_(centred) {
    const auto width = static_cast<Index>(slab.features);
    const auto folds = static_cast<Index>(targets.folds.size());
    sums_.resize(width, folds + 1);
    squares_.resize(width, folds + 1);
    scale_.resize(width, folds);
    std::vector<double> means(slab.features);
    const CentredSlab to{centred_, slab.features, means};
    workers.parallel_for(centred_blocks(slab.features),
                         [&](std::size_t b) { centre_block(slab, b, to); });
    workers.parallel_for(feature_blocks(), [&](std::size_t b) {
        add_moments(b);
        judge(b);
    });
}

std::size_t SlabCorrelations::feature_blocks() const {
    return core::ceil_divide(slab_.features, feature_block);
}

std::size_t SlabCorrelations::target_blocks() const {
    return static_cast<std::size_t>(core::ceil_divide(targets_.centred.cols(), target_block));
}

SlabCorrelations::Features SlabCorrelations::block(std::size_t b) const {
    // Row-major rows × features, that is column-major features × rows.
    const std::size_t first = first_feature(b);
    const std::size_t count = std::min(feature_block, slab_.features - first);
    return {centred_.data() + first, static_cast<Index>(count), static_cast<Index>(slab_.rows),
            Eigen::OuterStride<>(static_cast<Index>(slab_.features))};
}

void SlabCorrelations::add_moments(std::size_t b) {
    const auto x = block(b);
    const auto first = static_cast<Index>(first_feature(b));
    sums_.middleRows(first, x.rows()) = multiply(x, targets_.membership);
    const Matrix squared = x.cwiseProduct(x);
    squares_.middleRows(first, x.rows()) = multiply(squared, targets_.membership);
}

/// Which correlations the products give well enough.
void SlabCorrelations::judge(std::size_t b) {
    const auto first = static_cast<Index>(first_feature(b));
    const Index last = first + block(b).rows();
    const double unit = rounding(static_cast<Index>(slab_.rows));
    for (std::size_t f = 0; f < targets_.folds.size(); ++f) {
        const auto& fold = targets_.folds[f];
        const auto column = static_cast<Index>(f);
        const auto train = static_cast<double>(fold.rows->train.size());
        for (Index j = first; j < last; ++j) {
            const double sum = sums_(j, column);
            const double own = squares_(j, column);
            const double in_product = fold.left_out ? squares_(j, squares_.cols() - 1) : own;
            const double centred = own - sum * sum / train;
            const bool good =
                centred > 0 && unit * own <= correlation_error * centred &&
                unit * std::sqrt(in_product / centred) * fold.spread <= correlation_error;
            scale_(j, column) = good ? 1 / std::sqrt(centred) : nan;
        }
    }
}

void SlabCorrelations::replace_doubtful(std::size_t b, std::size_t f, Index first,
                                        Matrix& r) const {
    std::vector<std::size_t> doubtful;
    for (std::size_t j = first_feature(b);
         j < first_feature(b) + static_cast<std::size_t>(r.rows()); ++j) {
        const auto feature = static_cast<Index>(j);
        const bool never_changes = squares_(feature, squares_.cols() - 1) == 0;
        if (std::isnan(scale_(feature, static_cast<Index>(f))) && !never_changes)
            doubtful.push_back(j);
    }
    if (doubtful.empty()) return;
    const auto& fold = targets_.folds[f];
    Matrix x = values_of(slab_, fold.rows->train, doubtful);
    for (Index k = 0; k < x.cols(); ++k) normalise_column(x.col(k));
    Matrix y = centred_rows(targets_.centred.middleCols(first, r.cols()), fold.rows->train,
                            fold.mean.segment(first, r.cols()));
    for (Index t = 0; t < y.cols(); ++t) y.col(t) *= fold.scale(first + t);
    const Matrix again = multiply_transposed(x, y);
    for (std::size_t k = 0; k < doubtful.size(); ++k)
        r.row(static_cast<Index>(doubtful[k] - first_feature(b))) =
            again.row(static_cast<Index>(k));
}

void SlabCorrelations::visit(std::size_t features, std::size_t targets,
                             const std::function<void(std::size_t fold, Matrix& r)>& use) const {
    const auto x = block(features);
    const Index first = first_target(targets);
    const auto y =
        targets_.centred.middleCols(first, std::min(target_block, targets_.centred.cols() - first));
    const auto top = static_cast<Index>(first_feature(features));
    Matrix all;
    if (targets_.any_left_out) all = multiply(x, y);
    for (std::size_t f = 0; f < targets_.folds.size(); ++f) {
        const auto& fold = targets_.folds[f];
        Matrix factors(x.rows(), static_cast<Index>(fold.factors.size()));
        for (Index i = 0; i < factors.cols(); ++i)
            factors.col(i) = x.col(fold.factors[static_cast<std::size_t>(i)]);
        Matrix r = multiply(factors, rows_of(y, fold.factors));
        const double* sums = sums_.col(static_cast<Index>(f)).data() + top;
        const double* scales = scale_.col(static_cast<Index>(f)).data() + top;
        for (Index t = 0; t < r.cols(); ++t) {
            const double mean = fold.mean(first + t);
            const double scale = fold.scale(first + t);
            double* to = r.col(t).data();
            const double* whole = fold.left_out ? all.col(t).data() : nullptr;
            for (Index j = 0; j < r.rows(); ++j) {
                const double product = whole ? whole[j] - to[j] : to[j];
                to[j] = (product - sums[j] * mean) * (scales[j] * scale);
            }
        }
        replace_doubtful(features, f, first, r);
        use(f, r);
    }
}

}  // namespace ventral::stats
