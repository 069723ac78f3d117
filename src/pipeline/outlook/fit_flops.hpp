#pragma once
/// @file
/// The arithmetic of fitting a score, by formulas of its sizes: for plans, not for choices.
///
/// With n rows, p features, m targets, and per fold t train and s test rows, r = min(n, p),
/// l = min(t, n − t), q = min(m, t); u of the rows are tested on by some fold:
///
/// | metric | of all folds | of each fold |
/// |---|---|---|
/// | pls | 2 n² q + n q² | 2 l² q + 4 l q², and c components of 4 n² + 6 n q + 40 · 2 q² |
/// | pls, m > t | as above | also 2 n² m |
/// | pls, 2 p < m, t | – | 2 t p m + 2 m p², and c components of 8 t p + 40 · 4 p² |
/// | ridge, p ≥ n, shared | n³/3 + 2 u³/3 + (n² + u²) m | 2 u s m + s³/3 + 2 s² m |
/// | ridge, p ≥ n, each | – | t³/3 + 2 t² min(s, m) + 2 t s m |
/// | ridge, p < n, shared | n p² | (n − t) p² + p³/3 + 2 (t + s) p m |
/// | ridge, p < n, each | – | t p² + p³/3 + 2 (t + s) p m |
/// | linear_predictivity | – | 2 t r min(t, r) + 2 (t + s) r m |
/// | neuron_to_neuron | – | 2 t p m + 6 t p |
/// | cka | – | s² m + 6 s² |
/// | cka, 2 p ≤ n, p + m < s | – | s (p + m)² |
/// | rdm | n² m | 2 N (4 log₂ N + 10), N = s (s − 1) / 2 |
///
/// Where features stand for the Gram (2 p ≤ n), 4 l p is what 2 l² is else for PLS, and 4 n p what
/// 2 n² is.

#include "metrics/options.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::pipeline {

/// In floating-point operations. Products run at the rate of a matrix product; passes (over a
/// vector, or a matrix that is met once) at the rate at which memory is read.
struct FitFlops {
    double products = 0;
    double passes = 0;
    double shared = 0;  ///< products that every rank with a fold does once

    double total() const { return products + passes + shared; }
    FitFlops& operator+=(const FitFlops& more);
};
FitFlops operator*(double factor, const FitFlops& flops);

/// Of all folds of a score on a Gram of `features` features.
FitFlops fit_flops(const metrics::MetricOptions& metric, const metrics::RegressionPlan& plan,
                   std::size_t features);

}  // namespace ventral::pipeline
