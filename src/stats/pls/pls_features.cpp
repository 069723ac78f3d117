#include "stats/pls/pls_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/errors.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/pls/pls_cross_products.hpp"

namespace ventral::stats {
namespace {

/// One fold; X is the deflated train rows.
class FeatureIteration {
public:
    FeatureIteration(Matrix x, const Matrix& targets, const FoldRows& fold)
        : x_(std::move(x)),
          targets_(targets.cols()),
          cross_(make_cross_products(x_.cols(), targets, fold)),
          size_(square_sum(x_)) {}

    /// Finds and takes out a component; false if the targets are used up or X is.
    bool step() {
        auto w = cross_->start(x_);
        if (!w) return false;
        fit_.passes.push_back(0);
        if (!power_iteration(*w)) return break_down();
        const Vector t = times(x_, *w);
        const double square = dot(t, t);
        if (!(square > 0) || !std::isfinite(square)) return break_down();
        const Vector p = transposed_times(x_, t) / square;
        take_product_out(x_, t, p);
        cross_->take_out(*w, t, p);
        weights_.push_back(*w);
        loadings_.push_back(p);
        fit_.guard = std::max(fit_.guard, eps * std::sqrt(size_ / square));
        return true;
    }

    /// `x_test` is centred by the train means; the cut-off is that of all `n_components`, of which
    /// the reference keeps those that are missing as zeros.
    PlsFold predict(const Matrix& x_test, std::size_t n_components) const {
        PlsFold fit = fit_;
        if (weights_.empty()) {
            fit.prediction = Matrix::Zero(x_test.rows(), targets_);
            return fit;
        }
        const Matrix w = side_by_side(weights_, 0, x_.cols());
        const Matrix inner = multiply_transposed(side_by_side(loadings_, 0, x_.cols()), w);
        const double cutoff = static_cast<double>(n_components) * eps;
        const Matrix rotated = multiply(multiply(x_test, w), pseudo_inverse(inner, cutoff));
        fit.prediction = multiply(rotated, cross_->loadings().transpose());
        return fit;
    }

private:
    /// Passes until the weights stand still, as the reference counts them; `w` is the first's and
    /// becomes the last's. The reference's u = Y c / cᵀc and its divisor uᵀu only scale a vector
    /// that is normalised next. The eps beside its norm counts in the first pass alone: in later
    /// ones the norm of Xᵀu / uᵀu is the part of Y's variance that t explains, or more.
    bool power_iteration(Vector& w) {
        const Matrix& c = cross_->matrix();
        if (!normalise(w, eps)) return false;
        fit_.passes.back() = 1;
        if (targets_ == 1) return true;
        // Keeps the squares of C in the range of numbers.
        const double size = c.cwiseAbs().maxCoeff();
        if (!(size > 0)) return false;
        for (std::size_t pass = 2; pass <= pls_max_passes; ++pass) {
            fit_.passes.back() = pass;
            const Vector old_w = w;
            w = gram_times(c, w / size);
            if (!normalise(w)) return false;
            const Vector difference = w - old_w;
            const double change = dot(difference, difference);
            fit_.stop_margin =
                std::min(fit_.stop_margin, std::abs(change - pls_tolerance) / pls_tolerance);
            if (change < pls_tolerance) break;
        }
        return true;
    }

    static bool normalise(Vector& w, double beside_norm = 0) {
        const double norm = euclidean_norm(as_span(w));
        if (!(norm > 0) || !std::isfinite(norm)) return false;
        w /= norm + beside_norm;
        return true;
    }

    bool break_down() {
        fit_.passes.pop_back();
        fit_.guard = std::numeric_limits<double>::infinity();
        return false;
    }

    Matrix x_;
    Eigen::Index targets_;  ///< their number
    std::unique_ptr<PlsCrossProducts> cross_;
    double size_;  ///< sum of squares of X before any component was taken out
    std::vector<Vector> weights_;
    std::vector<Vector> loadings_;
    PlsFold fit_;
};

bool are_constant(const Matrix& x, const Matrix& reduced, const FoldRows& fold) {
    // What the rounding of the mean leaves of a constant: n eps of its size.
    const double noise = eps * static_cast<double>(x.rows());
    double whole = 0;
    for (Eigen::Index j = 0; j < reduced.cols(); ++j)
        whole += square_sum(rows_of(reduced.middleCols(j, 1), fold.train));
    return !(square_sum(x) > noise * noise * whole);
}

}  // namespace

PlsFold pls_predict_features(const Matrix& reduced, const Matrix& targets, std::size_t features,
                             const FoldRows& fold, std::size_t n_components) {
    check_pls(features, fold, n_components);
    const Vector means = column_means(reduced, fold.train);
    const Vector target_means = column_means(targets, fold.train);
    Matrix x = centred_rows(reduced, fold.train, means);
    if (are_constant(x, reduced, fold) && PlsTargets(targets, fold).find_start({}))
        throw core::InputError(constant_features);
    FeatureIteration iteration(std::move(x), targets, fold);
    const std::size_t most = std::min(n_components, most_components(fold));
    for (std::size_t k = 0; k < most && iteration.step(); ++k) {
    }
    PlsFold fit = iteration.predict(centred_rows(reduced, fold.test, means), n_components);
    for (Eigen::Index j = 0; j < targets.cols(); ++j)
        fit.prediction.col(j).array() += target_means(j);
    return fit;
}

}  // namespace ventral::stats
