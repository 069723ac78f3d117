#include "stats/logistic/standard_scaler.hpp"

#include <cmath>

#include "stats/linear_algebra/eps.hpp"

namespace ventral::stats {
namespace {

struct Moments {
    double mean = 0;
    double variance = 0;
};

template <typename Real>
Moments moments_of(const RowTable<Real>& features, Eigen::Index feature) {
    const auto n = static_cast<double>(features.rows());
    double total = 0;
    for (Eigen::Index i = 0; i < features.rows(); ++i)
        total += static_cast<double>(features(i, feature));
    const double mean = total / n;
    double correction = 0;
    double squares = 0;
    for (Eigen::Index i = 0; i < features.rows(); ++i) {
        const double deviation = static_cast<double>(features(i, feature)) - mean;
        correction += deviation;
        squares += deviation * deviation;
    }
    return {mean, (squares - correction * correction / n) / n};
}

bool is_constant(const Moments& moments, double n) {
    const double error_of_mean = n * moments.mean * eps;
    return moments.variance <= n * eps * moments.variance + error_of_mean * error_of_mean;
}

}  // namespace

template <typename Real>
FeatureScales feature_scales(const RowTable<Real>& features) {
    const auto n = static_cast<double>(features.rows());
    FeatureScales result;
    for (Eigen::Index j = 0; j < features.cols(); ++j) {
        const auto moments = moments_of(features, j);
        result.means.push_back(moments.mean);
        result.scales.push_back(is_constant(moments, n) ? 1 : std::sqrt(moments.variance));
    }
    return result;
}

template <typename Real>
void standardise(RowTable<Real>& features, const FeatureScales& scales) {
    for (Eigen::Index i = 0; i < features.rows(); ++i)
        for (Eigen::Index j = 0; j < features.cols(); ++j) {
            const auto feature = static_cast<std::size_t>(j);
            const double value = static_cast<double>(features(i, j)) - scales.means[feature];
            const auto difference = static_cast<Real>(value);
            features(i, j) =
                static_cast<Real>(static_cast<double>(difference) / scales.scales[feature]);
        }
}

template FeatureScales feature_scales(const RowTable<float>&);
template FeatureScales feature_scales(const RowTable<double>&);
template void standardise(RowTable<float>&, const FeatureScales&);
template void standardise(RowTable<double>&, const FeatureScales&);

}  // namespace ventral::stats
