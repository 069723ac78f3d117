#pragma once
/// @file
/// Linear regression with an intercept by least squares, of minimum norm where features outnumber
/// the train rows: scikit-learn's `LinearRegression` in float64 (NUMERICS 6.4).
///
/// The reference centres both sides on the train rows and cuts singular values at eps · the
/// largest. With n ≤ p train rows centring makes one singular value zero, which comes out as a few
/// eps and mostly survives that cut, so that its direction carries rounding into every prediction.
/// Here the rows are turned into n − 1 contrasts instead (Helmert's orthonormal ones), which have
/// no such direction, and the cut is at max(n, p) · eps, as scikit-learn has it from 1.7 on. With n
/// > p the cut is the reference's, but where what it keeps is rounding: of equal features.

#include <cstddef>

#include "stats/folds/folds.hpp"

namespace ventral::stats {

/// Whether of more train rows than features the test rows are predicted from what each train row
/// counts for each of them, a table no larger than twice the features, which takes less arithmetic
/// than the targets' coefficients where these are many.
constexpr bool predicts_by_weights(double test, double features, double targets) {
    return test * (targets + 2 * features) < 2 * features * targets;
}

/// Predictions of the test rows (n_test × m) of one fold. `reduced` stands for the features, see
/// `reduced_features.hpp`, and `features` is their number p. Its rows may be any rows of R in any
/// order: where its zeros are, which make the QR cheap, is looked up. By QR if the condition number
/// of its triangle says that no singular value is cut; else by the SVD of that triangle for n ≤ p,
/// and for n > p, beyond a condition number of 1e9, by the reference's LAPACK routine dgelsd, whose
/// rounding is not kept where features of about one size depend on one another. Exact but for
/// rounding: the error is about eps times the condition number of what is not cut. Targets are
/// taken in blocks of 1024.
Matrix linear_predict(const Matrix& reduced, const Matrix& targets, std::size_t features,
                      const FoldRows& fold);

}  // namespace ventral::stats
