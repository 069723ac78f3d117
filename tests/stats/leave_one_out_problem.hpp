#pragma once
/// @file
/// What the tests of leave-one-out errors and of the choice by them have in common.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/regression/leave_one_out.hpp"
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

/// Of each alpha, in any order, none of them twice. `targets` are centred.
inline std::vector<double> all_errors(const stats::RidgeSpectrum& spectrum,
                                      const stats::Matrix& targets,
                                      const std::vector<double>& alphas, core::Workers& workers) {
    auto ascending = alphas;
    std::sort(ascending.begin(), ascending.end());
    std::vector<std::size_t> places(alphas.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    const auto sweep = stats::LeaveOneOut(spectrum, targets, ascending, workers).sweep(places);
    std::vector<double> errors;
    for (const double alpha : alphas) {
        const auto place = std::lower_bound(ascending.begin(), ascending.end(), alpha);
        errors.push_back(sweep.errors[static_cast<std::size_t>(place - ascending.begin())]);
    }
    return errors;
}

inline std::vector<double> errors_of(const stats::Matrix& x, const stats::Matrix& y,
                                     const std::vector<double>& alphas, std::size_t threads = 2) {
    core::Workers workers(threads);
    return all_errors(spectrum_of(x), centred(y), alphas, workers);
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
