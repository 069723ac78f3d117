#pragma once
/// @file
/// The alpha of a list whose ridge regression has the least leave-one-out error, and how near the
/// next best comes.

#include <span>

#include "core/workers.hpp"
#include "stats/regression/ridge_spectrum.hpp"

namespace ventral::stats {

struct AlphaChoice {
    double alpha = 0;
    /// (next best error − best error) / best error over the different alphas; infinite for a single
    /// alpha, zero if the best error is zero or there is none.
    double gap = 0;
};

/// The first alpha of the list with the least error. `targets` are centred, n × m.
///
/// Errors are computed for some alphas only: between these the error is bounded from below
/// (`LeaveOneOut::least_error`), and only alphas that the bound leaves possible as best or next
/// best are computed. The choice and the gap are those of all errors.
AlphaChoice choose_alpha(const RidgeSpectrum& spectrum, const Matrix& targets,
                         std::span<const double> alphas, core::Workers& workers);

}  // namespace ventral::stats
