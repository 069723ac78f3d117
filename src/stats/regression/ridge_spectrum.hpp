#pragma once
/// @file
/// The features of some train rows in a form in which a ridge costs little for every further alpha:
/// Xc Xcᵀ = Q T Qᵀ with orthonormal columns Q and a band matrix T, Xc being centred. A narrow band
/// serves as well as eigenvalues do, and takes less time to find (Eldén 1977 for bidiagonal X).

#include "core/workers.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Every function below needs alpha > 0. With H = I − 1 1ᵀ / n and G(alpha) the inverse of
/// Xc Xcᵀ + alpha I on centred vectors, zero on constant ones:
/// `whole`:  Q is n × n and T holds the constant vector too, with eigenvalue `constant`:
///           G = Q (T + alpha I)⁻¹ Qᵀ − 1 1ᵀ / (n (constant + alpha));
/// `thin`:   Q spans the columns of Xc: G = Q (T + alpha I)⁻¹ Qᵀ + (H − Q Qᵀ) / alpha.
struct RidgeSpectrum {
    enum class Form { whole, thin };

    Form form;
    Matrix basis;  ///< Q, n × r
    Matrix band;   ///< (w + 1) × r for w diagonals below the main one: (d, c) is T(c + d, c)
    double constant = 0;  ///< of the whole form
    Matrix in_basis;      ///< Qᵀ Xc, r × p, of the thin form
};

/// The whole form, from the centred kernel (n × n) by `band_form`. The constant vector gets the
/// mean of the others' eigenvalues, so that none drowns another. Error: eps times the largest
/// eigenvalue, absolute, as of an eigendecomposition of the kernel.
RidgeSpectrum spectrum_of_kernel(Matrix centred_kernel, core::Workers& workers);

/// The thin form with a diagonal T, from the centred features (n × p) by singular value
/// decomposition: nothing is squared before, the error is eps times the largest singular value.
RidgeSpectrum spectrum_of_features(const Matrix& centred_features);

/// Q (T + alpha I)⁻¹ Qᵀ b: that is G(alpha) b for every b in the span of the features' columns.
Matrix solve_in_span(const RidgeSpectrum& spectrum, double alpha, const Matrix& b,
                     core::Workers& workers);

/// The same where b = Q c is known by c (r rows): rows that lie far from the features' mean leave c
/// more digits than the sums over features that are b.
Matrix solve_from_basis(const RidgeSpectrum& spectrum, double alpha, const Matrix& c,
                        core::Workers& workers);

/// (T + alpha I)⁻¹ Qᵀ b, r rows.
Matrix solve_to_basis(const RidgeSpectrum& spectrum, double alpha, const Matrix& b,
                      core::Workers& workers);

}  // namespace ventral::stats
