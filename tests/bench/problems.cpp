#include "problems.hpp"

#include <algorithm>
#include <cmath>

#include "core/portable_random.hpp"

namespace ventral::bench {
namespace {

constexpr std::size_t distinct_features = 4096 - 1;
constexpr Eigen::Index factors = 100;

stats::Matrix uniform_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    core::PortableRandom random(seed);
    return stats::Matrix::NullaryExpr(rows, columns, [&] { return random.uniform(-1, 1); });
}

/// Latent factors; the variance of the k-th falls as 1/k.
stats::Matrix latent(Eigen::Index rows) {
    stats::Matrix values = uniform_matrix(rows, factors, 1);
    for (Eigen::Index k = 0; k < factors; ++k)
        values.col(k) /= std::sqrt(static_cast<double>(k + 1));
    return values;
}

}  // namespace

std::vector<float> float_features(std::size_t rows, std::size_t features, double zeros) {
    core::PortableRandom random(2);
    std::vector<float> some(std::min(features, distinct_features));
    std::vector<float> values(rows * features);
    for (std::size_t i = 0; i < rows; ++i) {
        for (auto& value : some)
            value = static_cast<float>(std::max(0.0, random.uniform(-1, 1 / zeros - 1)));
        for (std::size_t j = 0; j < features; ++j) values[i * features + j] = some[j % some.size()];
    }
    return values;
}

RegressionProblem regression_problem(Eigen::Index rows, Eigen::Index features,
                                     Eigen::Index targets) {
    const stats::Matrix z = latent(rows);
    RegressionProblem problem;
    problem.features =
        z * uniform_matrix(factors, features, 3) + 0.1 * uniform_matrix(rows, features, 4);
    problem.targets =
        z * uniform_matrix(factors, targets, 5) + 0.5 * uniform_matrix(rows, targets, 6);
    const stats::Matrix centred = problem.features.rowwise() - problem.features.colwise().mean();
    problem.kernel = centred * centred.transpose();
    return problem;
}

}  // namespace ventral::bench
