#pragma once
/// @file
/// Multinomial logistic regression with a ridge penalty, by the truncated Newton method of
/// scikit-learn's solver "newton-cg", iterate by iterate: it stops well before the optimum, so that
/// where it stops is part of the result.

#include <cstddef>
#include <vector>

#include "stats/linear_algebra/row_table.hpp"

namespace ventral::stats {

struct LogisticOptions {
    double c = 1e-3;          ///< inverse strength of the penalty: 1/(2 c) |W|² is added
    double tolerance = 1e-4;  ///< of the largest entry of the gradient of the summed loss
    std::size_t most_iterations = 100;
};

enum class LogisticEnd { converged, out_of_iterations, no_step };

template <typename Real>
struct LogisticFit {
    /// Classes × features + 1, the intercepts in the last column. Of two classes there is one row,
    /// w; the classes' probabilities are then softmax(−w x, w x).
    RowTable<Real> coefficients;
    std::size_t iterations = 0;
    LogisticEnd end = LogisticEnd::converged;
};

/// From zero, in the type of the features, which are standardised already. Directions by conjugate
/// gradients up to |r|₁ ≤ min(1/2, √|g|₁) |g|₁ (R. Dembo, S. Eisenstat, T. Steihaug, SIAM J. Numer.
/// Anal. 19 (1982), in the 1-norm), steps by `wolfe_step`. Equals `LogisticRegression` of
/// scikit-learn 1.2 (multi_class="multinomial", solver="newton-cg"); since 1.4 that stops at the
/// tolerance of the mean loss. Float32 makes the line search depend on rounding: one BLAS differs
/// from another by up to 1e-5 then, the reference as much as this. `classes` is at least 2.
template <typename Real>
LogisticFit<Real> fit_logistic_regression(const RowTable<Real>& features,
                                          const std::vector<std::size_t>& classes_of_rows,
                                          std::size_t classes, const LogisticOptions& options);

/// Presentations × classes.
template <typename Real>
RowTable<Real> predict_probabilities(const LogisticFit<Real>& fit, const RowTable<Real>& features);

}  // namespace ventral::stats
