#pragma once
/// @file
/// Leave-one-out errors of ridge regressions over a list of alphas, without refitting: with G of
/// `ridge_spectrum.hpp` the residual of row i without that row is (G Y)_i / G_ii (Allen 1974;
/// Golub, Heath & Wahba 1979; scikit-learn's `_RidgeGCV`). `alpha_search.hpp` chooses by them.

#include <array>
#include <cstddef>
#include <vector>

#include "core/workers.hpp"
#include "stats/linear_algebra/band_factor.hpp"
#include "stats/regression/ridge_spectrum.hpp"

namespace ventral::stats {

/// Of one spectrum and its targets. An error is the mean of all n × m squared residuals; alphas are
/// known by their positions in the list.
class LeaveOneOut {
public:
    /// Alphas that residuals are interpolated from.
    static constexpr std::size_t neighbours = 4;

    /// Some alphas' errors, and what interpolates between them.
    struct Sweep {
        std::vector<std::size_t> alphas;  ///< ascending
        std::vector<double> errors;
        /// Entry (i, k) of the matrix `lag`: product of row i's residuals, before they are divided
        /// by G_ii, at alpha k and at alpha k − lag.
        std::array<Matrix, neighbours> products;
    };

    /// `alphas` ascend and are different; `targets` are centred, n × m. Keeps references to
    /// `spectrum` and `workers`.
    LeaveOneOut(const RidgeSpectrum& spectrum, const Matrix& targets, std::vector<double> alphas,
                core::Workers& workers);

    const std::vector<double>& alphas() const { return alphas_; }

    /// Of the alphas `chosen`, ascending.
    Sweep sweep(const std::vector<std::size_t>& chosen) const;

    /// To be called once before `estimate` and `least_error`.
    void compute_norms();

    /// Of the error at an alpha: as if all rows had its mean 1 / G_ii².
    double estimate(std::size_t alpha) const;

    /// A value that the error at an alpha does not fall below, by a sweep of `neighbours` alphas or
    /// more. For every eigenvalue v ≥ 0 the interpolation between four of them, a ≤ … ≤ d, gives
    /// 1 / (v + alpha) with the relative error v² / Π (v + a) · Π (a − alpha) / alpha².
    double least_error(const Sweep& sweep, std::size_t alpha) const;

private:
    Eigen::Index rows() const { return spectrum_.basis.rows(); }
    void project(const Matrix& targets);
    void compute_diagonals();
    double diagonal_rest(double alpha, double squares) const;
    Matrix residuals(std::size_t alpha) const;

    const RidgeSpectrum& spectrum_;
    std::vector<double> alphas_;
    core::Workers& workers_;
    double residual_count_;
    std::vector<BandFactor> factors_;
    Matrix projected_;  ///< Yᵀ Q, m × r
    Matrix outside_;    ///< (Y − Q Qᵀ Y)ᵀ, m × n, of the thin form
    Matrix diagonals_;  ///< G_ii, n × alphas
    Vector norms_;      ///< squared norms of G Y
};

}  // namespace ventral::stats
