#include "stats/similarity/rdm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/gram/matrix_slabs.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/regression/normalised_column.hpp"

namespace ventral::stats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double per_degree_of_freedom(std::size_t features) {
    return 1 / (static_cast<double>(features) - 1);
}

bool are_known(const GramSums& sums) { return !sums.row_sums.empty(); }

}  // namespace

bool has_few_features(std::size_t rows, std::size_t features) {
    constexpr std::size_t most = 1024;
    return small_enough_for_numpy(rows, features) || features <= std::min(4 * rows, most);
}

CorrelationDistances::CorrelationDistances(RowProducts products, std::size_t features)
    : products_(std::move(products.products)),
      kernel_(view_of(products_)),
      shift_(Vector::Zero(kernel_.rows())),
      row_mean_(Vector::Zero(kernel_.rows())),
      per_degree_(per_degree_of_freedom(features)) {
    find_deviations(products.constant);
}

CorrelationDistances::CorrelationDistances(const Kernel& kernel, const GramSums& sums,
                                           std::size_t features, core::Workers& workers)
    : products_(kernel.is_held() ? Matrix() : kernel.whole(workers)),
      kernel_(kernel.is_held() ? kernel.entries() : view_of(products_)),
      shift_(kernel.rows()),
      row_mean_(kernel.rows()),
      per_degree_(per_degree_of_freedom(features)) {
    const auto rows = sums.row_sums.size();
    const auto p = static_cast<double>(features);
    const double mean_row_sum = sum(sums.row_sums) / static_cast<double>(rows);
    const double mean = mean_row_sum / p;
    const double squared_mean = p * mean * mean;
    const double spread = sums.mean_squared - squared_mean;
    std::vector<char> constant(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const double deviation = sums.row_sums[i] - mean_row_sum;
        shift_(row) = (sums.centred_times_mean[i] - mean * deviation) + spread / 2;
        row_mean_(row) = deviation / std::sqrt(p);
        const double least = sums.row_extremes[2 * i];
        constant[i] = least == sums.row_extremes[2 * i + 1] ? 1 : 0;
        // NumPy then correlates what the rounding of the mean leaves of the row.
        if (constant[i] && !has_exact_mean(least, features, ColumnSum::pairwise))
            guard_ = std::numeric_limits<double>::infinity();
    }
    find_deviations(constant);
    for (std::size_t i = 0; i < rows; ++i) {
        if (constant[i]) continue;
        const auto row = static_cast<Eigen::Index>(i);
        const double terms = kernel_(row, row) + 2 * std::abs(sums.centred_times_mean[i]) +
                             2 * std::abs(mean * row_mean_(row)) * std::sqrt(p) +
                             sums.mean_squared + squared_mean + row_mean_(row) * row_mean_(row);
        const double error = eps * terms / product(row, row);
        // Products that are not positive have lost all digits.
        guard_ = error >= 0 ? std::max(guard_, error) : std::numeric_limits<double>::infinity();
    }
}

void CorrelationDistances::find_deviations(std::span<const char> constant) {
    deviation_.resize(kernel_.rows());
    for (Eigen::Index i = 0; i < deviation_.size(); ++i)
        deviation_(i) =
            constant[static_cast<std::size_t>(i)] ? nan : std::sqrt(product(i, i) * per_degree_);
}

double CorrelationDistances::product(Eigen::Index a, Eigen::Index b) const {
    return (kernel_(b, a) + (shift_(a) + shift_(b))) - row_mean_(a) * row_mean_(b);
}

double CorrelationDistances::operator()(Eigen::Index a, Eigen::Index b) const {
    const double r = product(a, b) * per_degree_ / deviation_(a) / deviation_(b);
    return 1 - std::clamp(r, -1.0, 1.0);
}

FeatureDistances feature_distances(const Problem& problem, core::Workers& workers) {
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    const bool known = are_known(problem.sums);
    const bool at_hand = static_cast<bool>(problem.read);
    if (!known && !at_hand)
        throw core::InputError(
            "correlation distances need the features or the sums of their Gram (the Gram alone "
            "does not tell the rows' means) build the Gram again");
    const auto from_rows = [&] {
        return FeatureDistances{
            row_distances(rows, problem.features, problem.read, problem.given_order, workers),
            DistanceForm::rows};
    };
    if (!known || (at_hand && has_few_features(rows, problem.features))) return from_rows();
    CorrelationDistances distances(problem.kernel, problem.sums, problem.features, workers);
    if (at_hand && distances.guard() > rdm_guard_limit) return from_rows();
    return {std::move(distances), DistanceForm::gram};
}

CorrelationDistances row_distances(std::size_t rows, std::size_t features, const ReadSlab& read,
                                   std::span<const Eigen::Index> order, core::Workers& workers) {
    if (small_enough_for_numpy(order.empty() ? rows : order.size(), features))
        return {numpy_row_products(rows, features, read, order), features};
    return {centred_row_products(rows, features, read, workers), features};
}

CorrelationDistances recording_distances(const Matrix& recordings,
                                         std::span<const Eigen::Index> order,
                                         core::Workers& workers) {
    return row_distances(static_cast<std::size_t>(recordings.rows()),
                         static_cast<std::size_t>(recordings.cols()), slabs_of_columns(recordings),
                         order, workers);
}

std::vector<double> upper_triangle(const CorrelationDistances& distances,
                                   std::span<const Eigen::Index> rows, core::Workers& workers) {
    constexpr std::size_t rows_of_a_task = 16;
    const std::size_t n = rows.size();
    if (n < 2) return {};
    std::vector<double> triangle(n * (n - 1) / 2);
    workers.parallel_for(core::ceil_divide(n, rows_of_a_task), [&](std::size_t task) {
        const std::size_t first = task * rows_of_a_task;
        for (std::size_t i = first; i < std::min(first + rows_of_a_task, n); ++i) {
            double* to = triangle.data() + i * n - i * (i + 1) / 2;
            for (std::size_t j = i + 1; j < n; ++j) *to++ = distances(rows[i], rows[j]);
        }
    });
    return triangle;
}

}  // namespace ventral::stats
