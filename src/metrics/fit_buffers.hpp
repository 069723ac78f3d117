#pragma once
/// @file
/// What fits keep in memory beside the Gram, counted buffer by buffer: for plans.
///
/// With n rows, p features, m targets, w = min(p, 4096), r = min(n, p), and per fold t train rows
/// and s test rows (the most of any fold), in doubles:
///
/// | metric | of a rank | of a score in work | of a group of F folds | of a fold in work |
/// |---|---|---|---|---|
/// | pls, m ≤ t | – | – | 2 n m, F (n m + m² + 25 (3n + t + 2m)), F n²/128 | n min(t, n − t) |
/// | pls, m > t | – | – | the same of n in place of m, and first n² + 8192 n | the same |
/// | pls, 2 p < m, t | n p | – | – | (t + p) p + 25 t and the largest of its steps |
/// | ridge, shared | – | u² + u m, made from n (n + m) + 2 u² + u m | – | u s + 2 s² |
/// | ridge, each | – | – | – | t² + t (s + m + min(s, m)), the last for least squares |
/// | ridge, p < n | n p | – | – | t p + t m + p m + 1.5 p min(p, t), and S if alpha < 1e-6 |
/// | ridgecv, p ≥ t | – | – | – | 3 t² + 3 t m, or those of ridge, each |
/// | ridgecv, p < t | n p | – | – | (t + s) p + 3 t m + S |
/// | linear_predictivity, p ≥ t | n r | – | – | max(r, t) (t + s), s r, 2048 t |
/// | linear_predictivity, p < t | n p | – | – | 2 p (t + s), 2048 t, and t s by weights |
/// | neuron_to_neuron | – | – | 3 n w + n m + n min(w, 2 F m), and n w of what is read | 768 t |
/// | cka, m > n | – | – | 2 n² + 4 n, and `stats::GramSizes::scratch` of n and m | 64 s |
/// | cka, m ≤ n | – | – | s m | 64 s |
/// | rdm | – | – | n² and the larger of n²/2 + 2 n min(m, 4096) and 1.7 s² | – |
///
/// The steps of PLS on features are b (t + p), b t + 25 (m + t) and 50 m + s p, b = min(m, 1024).
///
/// Where the folds of a ridge on p < n features share products it has p² more while it is in work,
/// and each fold the larger of (n − t) p and (t + p) p / 16.
///
/// Where features stand for the Gram (2 p ≤ n), cka has s p more and rdm n² more, PLS F (n + p) for
/// F n²/128 and p (l + m) for n l, l = min(t, n − t).
///
/// And for regressions F s m of predictions; of a fold at least s m, what is compared with them.
/// With v = min(p, t), S = t p + v (t + p) + max(4 v², t p).
///
/// Where a ridge that could be shared loses digits (alpha far above or below the Gram, or a test
/// row far above all train rows) its folds are fitted for themselves; where an alpha above 1e-6 is
/// lost in rounding, features are decomposed, which takes S more: that nobody knows before.

#include <cstddef>

#include "metrics/options.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// In bytes.
struct FitBuffers {
    double rank = 0;    ///< once, whatever is in work
    double task = 0;    ///< while a group of the score is in work
    double making = 0;  ///< while what its groups share is made, in place of all that follows it
    double group = 0;   ///< of each fold group in work
    double fold = 0;    ///< of each fold that a worker computes
    std::size_t groups = 0;
    std::size_t folds_a_group = 0;
};

/// Of a score on a Gram of `features` features.
FitBuffers fit_buffers(const MetricOptions& metric, const RegressionPlan& plan,
                       std::size_t features);

}  // namespace ventral::metrics
