#include "stats/regression/ridge_features.hpp"

#include <algorithm>
#include <cmath>

#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/regression/intercept.hpp"
#include "stats/regression/ridge.hpp"

namespace ventral::stats {
namespace {

/// b ← the solution of (a + alpha I) x = b; `a` is used up. False, and `b` used up too, if rounding
/// has made the matrix singular.
bool solve(Matrix& a, Matrix& b, double alpha) {
    const bool is_lost = alpha < rounding_of(a);
    a.diagonal().array() += alpha;
    const Vector diagonal = a.diagonal();
    return solve_positive_definite(a, b) && !(is_lost && has_lost_pivot(a, diagonal));
}

Matrix coefficients_unsquared(const Matrix& x, const Matrix& y, double alpha) {
    if (!(alpha >= 0) || !x.allFinite()) throw_not_definite(alpha);
    const auto size = static_cast<double>(std::max(x.rows(), x.cols()));
    const double cutoff = eps * size;
    return multiply(pseudo_inverse(x, cutoff, alpha), y);
}

Matrix dual_coefficients(const Matrix& x, const Matrix& y, double alpha) {
    Matrix dual = y;
    Matrix k = own_row_products(x);
    return solve(k, dual, alpha) ? multiply_transposed(x, dual)
                                 : coefficients_unsquared(x, y, alpha);
}

/// `products` being xᵀx.
Matrix primal_coefficients(const Matrix& x, Matrix products, const Matrix& y, double alpha) {
    Matrix b = multiply_transposed(x, y);
    return solve(products, b, alpha) ? b : coefficients_unsquared(x, y, alpha);
}

/// An alpha that is lost in rounding needs products that have all digits.
bool may_share(const TrainProducts* products, Eigen::Index features, double alpha) {
    return products && alpha > eps * static_cast<double>(features) * products->largest();
}

/// x̄ B of each target, from `of_mean` = Xc x̄ and B = Xcᵀ (Y − Xc B) / alpha. Where rounding has
/// left more of a difference than x̄ B can be, 0.
Vector predictions_of_mean(const Matrix& x, const Matrix& y, const Matrix& b, double alpha,
                           const Matrix& of_mean, double longest_mean) {
    Vector predictions = (multiply_transposed(y, of_mean) -
                          multiply_transposed(b, multiply_transposed(x, of_mean))) /
                         alpha;
    for (Eigen::Index t = 0; t < predictions.size(); ++t)
        if (!(std::abs(predictions(t)) <= 2 * longest_mean * euclidean_norm(column(b, t))))
            predictions(t) = 0;
    return predictions;
}

}  // namespace

Matrix ridge_predict_features(const Matrix& reduced, const Matrix& targets, const FoldRows& fold,
                              double alpha, const KnownOfFeatures& known) {
    const Vector x_mean = column_means(reduced, fold.train);
    const Vector y_mean = column_means(targets, fold.train);
    const Matrix x = centred_rows(reduced, fold.train, x_mean);
    const Matrix y = centred_rows(targets, fold.train, y_mean);
    const auto products = [&] {
        return may_share(known.products, x.cols(), alpha)
                   ? known.products->of(fold, x, x_mean, alpha)
                   : own_products(x);
    };
    const Matrix b = x.cols() > x.rows() ? dual_coefficients(x, y, alpha)
                                         : primal_coefficients(x, products(), y, alpha);
    Matrix prediction = multiply(centred_rows(reduced, fold.test, x_mean), b);
    Vector mean_prediction;
    const auto sums = known.sums ? *known.sums : GramSums();
    if (const Matrix of_mean = products_with_mean(x, x_mean, sums, fold);
        of_mean.size() > 0 && alpha > 0)
        mean_prediction =
            predictions_of_mean(x, y, b, alpha, of_mean,
                                std::sqrt(sums.mean_squared) + euclidean_norm(as_span(x_mean)));
    add_intercept(prediction, y_mean, mean_prediction);
    return prediction;
}

}  // namespace ventral::stats
