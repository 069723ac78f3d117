#include "stats/similarity/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "stats/linear_algebra/pairwise_sum.hpp"

namespace ventral::stats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool has_nan(std::span<const double> x) {
    int odd = 0;  // no early end, so that values are looked at several at a time
    for (const double value : x) odd |= static_cast<int>(std::isnan(value));
    return odd != 0;
}

/// Centred and of unit length; scaled by the largest entry first, so that squares cannot overflow.
/// The mean is NumPy's: of values that differ by rounding alone its own rounding decides r.
std::vector<double> normalised(std::span<const double> x) {
    const double mean = pairwise_sum(x) / static_cast<double>(x.size());
    std::vector<double> centred(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) centred[i] = x[i] - mean;
    const Eigen::Map<const Eigen::ArrayXd> entries(centred.data(),
                                                   static_cast<Eigen::Index>(centred.size()));
    const double largest = entries.abs().maxCoeff();
    if (largest == 0) return centred;
    for (double& value : centred) value /= largest;
    const double length = euclidean_norm(centred);
    for (double& value : centred) value /= length;
    return centred;
}

std::vector<double> without_nan(std::span<const double> values) {
    std::vector<double> kept;
    for (const double value : values)
        if (!std::isnan(value)) kept.push_back(value);
    return kept;
}

}  // namespace

bool is_constant(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value == values.front(); });
}

double pearson(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size()) throw std::invalid_argument("pearson: lengths differ");
    if (x.size() < 2) throw std::invalid_argument("pearson: needs at least two values");
    if (has_nan(x) || has_nan(y) || is_constant(x) || is_constant(y)) return nan;
    if (x.size() == 2) return (x[1] > x[0]) == (y[1] > y[0]) ? 1.0 : -1.0;
    return std::clamp(dot(normalised(x), normalised(y)), -1.0, 1.0);
}

std::vector<double> pearson_columns(const Matrix& x, const Matrix& y) {
    if (x.cols() != y.cols()) throw std::invalid_argument("pearson_columns: shapes differ");
    std::vector<double> r(static_cast<std::size_t>(x.cols()));
    for (Eigen::Index j = 0; j < x.cols(); ++j)
        r[static_cast<std::size_t>(j)] = pearson(column(x, j), column(y, j));
    return r;
}

double spearman_brown(double r) { return 2 * r / (1 + r); }

double nan_median(std::span<const double> values) {
    auto kept = without_nan(values);
    if (kept.empty()) return nan;
    std::sort(kept.begin(), kept.end());
    const std::size_t middle = kept.size() / 2;
    if (kept.size() % 2 == 1) return kept[middle];
    return (kept[middle - 1] + kept[middle]) / 2;
}

double nan_mean(std::span<const double> values) {
    const auto kept = without_nan(values);
    return kept.empty() ? nan : sum(kept) / static_cast<double>(kept.size());
}

double nan_std(std::span<const double> values) {
    auto kept = without_nan(values);
    if (kept.empty()) return nan;
    const double mean = sum(kept) / static_cast<double>(kept.size());
    for (double& value : kept) value = (value - mean) * (value - mean);
    return std::sqrt(sum(kept) / static_cast<double>(kept.size()));
}

}  // namespace ventral::stats
