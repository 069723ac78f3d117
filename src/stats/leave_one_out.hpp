#pragma once
/// @file
/// Leave-one-out errors of ridge regressions over a list of alphas, without refitting: with G of
/// `ridge_spectrum.hpp` the residual of row i without that row is (G Y)_i / G_ii (Allen 1974;
/// Golub, Heath & Wahba 1979; scikit-learn's `_RidgeGCV`).

#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/ridge_spectrum.hpp"

namespace ventral::stats {

/// Mean of all n × m squared leave-one-out residuals for each alpha. `targets` are centred, n × m.
std::vector<double> leave_one_out_errors(const RidgeSpectrum& spectrum, const Matrix& targets,
                                         std::span<const double> alphas, core::Workers& workers);

struct AlphaChoice {
    double alpha = 0;
    /// (next best error − best error) / best error over the different alphas; infinite for a single
    /// alpha, zero if the best error is zero or there is none.
    double gap = 0;
};

/// The first alpha of the list with the least error.
///
/// Errors are computed for some alphas only. Between four neighbouring ones a ≤ … ≤ d the residuals
/// are interpolated so that, for every eigenvalue v ≥ 0, 1 / (v + alpha) has the relative error
/// v² / Π (v + a) · Π (a − alpha) / alpha²; that bounds the error at alpha from below, and only
/// alphas that the bound leaves possible as best or next best are computed. The choice and the gap
/// are those of all errors.
AlphaChoice choose_alpha(const RidgeSpectrum& spectrum, const Matrix& targets,
                         std::span<const double> alphas, core::Workers& workers);

}  // namespace ventral::stats
