#pragma once
/// @file
/// What the tests of leave-one-out errors and of the choice by them have in common.

#include <cmath>

#include "stats/alpha_search.hpp"
#include "stats/small_problems.hpp"

namespace ventral::test {

inline stats::Matrix centred(const stats::Matrix& x) { return x.rowwise() - x.colwise().mean(); }

/// Of either form, as the shape of the features asks for.
inline stats::RidgeSpectrum spectrum_of(const stats::Matrix& x) {
    core::Workers workers(2);
    const stats::Matrix c = centred(x);
    return x.cols() < x.rows() ? stats::spectrum_of_features(c)
                               : stats::spectrum_of_kernel(c * c.transpose(), workers);
}

inline std::vector<double> errors_of(const stats::Matrix& x, const stats::Matrix& y,
                                     const std::vector<double>& alphas, std::size_t threads = 2) {
    core::Workers workers(threads);
    return stats::leave_one_out_errors(spectrum_of(x), centred(y), alphas, workers);
}

/// Features of all scales, and targets that depend on the large ones.
struct SpreadFeatures {
    stats::Matrix x;
    stats::Matrix y;

    SpreadFeatures(Eigen::Index rows, Eigen::Index features, Eigen::Index targets, double noise) {
        x = random_matrix(rows, features, 1);
        for (Eigen::Index j = 0; j < features; ++j)
            x.col(j) *=
                30 * std::pow(0.5, 12.0 * static_cast<double>(j) / static_cast<double>(features));
        y = x * random_matrix(features, targets, 2) + noise * random_matrix(rows, targets, 3);
    }
};

}  // namespace ventral::test
