#include "stats/alike_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace ventral::stats {
namespace {

using Rows = std::vector<Eigen::Index>;

double longest(MatrixView kernel, const Rows& rows) {
    double square = 0;
    for (const auto row : rows) square = std::max(square, kernel(row, row));
    return std::sqrt(square);
}

/// Whether the products of two rows with the train rows differ by one number.
bool differ_by_constant(MatrixView kernel, const Rows& train, Eigen::Index a, Eigen::Index b,
                        double tolerance) {
    double least = std::numeric_limits<double>::infinity();
    double largest = -least;
    for (const auto row : train) {
        const double difference = kernel(row, a) - kernel(row, b);
        least = std::min(least, difference);
        largest = std::max(largest, difference);
        if (!(largest - least <= tolerance)) return false;
    }
    return true;
}

template <typename T>
bool is_constant(std::span<const T> values, std::size_t stride, std::size_t feature,
                 const Rows& rows) {
    const auto value = [&](Eigen::Index row) {
        return values[static_cast<std::size_t>(row) * stride + feature];
    };
    return std::all_of(rows.begin(), rows.end(),
                       [&](Eigen::Index row) { return value(row) == value(rows.front()); });
}

}  // namespace

bool are_alike_in_gram(MatrixView kernel, const FoldRows& fold) {
    if (kernel.rows() == 0 || fold.test.empty() || fold.train.empty()) return false;
    // Sums of products round by some eps of the rows' lengths.
    constexpr double digits = 64 * std::numeric_limits<double>::epsilon();
    const double tolerance = digits * longest(kernel, fold.train) * longest(kernel, fold.test);
    return std::all_of(fold.test.begin(), fold.test.end(), [&](Eigen::Index row) {
        return differ_by_constant(kernel, fold.train, fold.test.front(), row, tolerance);
    });
}

bool are_alike_in_features(const ReadSlab& read, std::size_t features, const FoldRows& fold) {
    for (std::size_t first = 0; first < features; first += slab_features) {
        const auto slab = read(first, std::min(slab_features, features - first));
        const bool are_alike = std::visit(
            [&](const auto& values) {
                for (std::size_t j = 0; j < slab.features; ++j)
                    if (!is_constant(values, slab.stride, j, fold.test) &&
                        !is_constant(values, slab.stride, j, fold.train))
                        return false;
                return true;
            },
            slab.values);
        if (!are_alike) return false;
    }
    return true;
}

}  // namespace ventral::stats
