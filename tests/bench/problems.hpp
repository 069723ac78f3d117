#pragma once
/// @file
/// Problems with the spectrum of real features: latent factors of power-law variance, and noise.

#include <cstddef>
#include <vector>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::bench {

/// Row-major float32 features, rows × features, as of rectified units: positive, or zero as many as
/// are wanted. The values repeat after some thousand features: a kernel's time does not depend on
/// them.
inline constexpr double usual_zeros = 1.0 / 3;
std::vector<float> float_features(std::size_t rows, std::size_t features,
                                  double zeros = usual_zeros);

struct RegressionProblem {
    stats::Matrix features;  ///< rows × count, float64
    stats::Matrix kernel;    ///< of the centred features
    stats::Matrix targets;
};
RegressionProblem regression_problem(Eigen::Index rows, Eigen::Index features,
                                     Eigen::Index targets);

}  // namespace ventral::bench
