#include "stats/folds/alike_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/linear_algebra/eps.hpp"

namespace ventral::stats {
namespace {

using Rows = std::vector<Eigen::Index>;

double longest(const MatrixView& kernel, const Rows& rows) {
    double square = 0;
    for (const auto row : rows) square = std::max(square, kernel(row, row));
    return std::sqrt(square);
}

/// Whether the products of two rows with the train rows may differ by one number, where each is off
/// by what is tolerated times the train row's length.
bool differ_by_constant(const MatrixView& kernel, const Rows& train, Eigen::Index a, Eigen::Index b,
                        double tolerated) {
    double least = -std::numeric_limits<double>::infinity();
    double most = -least;
    for (const auto row : train) {
        const double difference = kernel(row, a) - kernel(row, b);
        const double rounding = tolerated * std::sqrt(std::max(kernel(row, row), 0.0));
        least = std::max(least, difference - rounding);
        most = std::min(most, difference + rounding);
        if (!(least <= most)) return false;
    }
    return true;
}

bool have_equal_products(const MatrixView& kernel, Eigen::Index a, Eigen::Index b) {
    // Few columns have equal entries in these places without being equal.
    return kernel(a, a) == kernel(a, b) && kernel(b, b) == kernel(a, b) &&
           kernel.col(a) == kernel.col(b);
}

/// Whether most neighbours among the rows that are not equal differ by much more than their
/// products are rounded to: they do not beside a row that dwarfs them.
bool has_digits_of(const MatrixView& kernel, const Rows& rows, double rounding) {
    constexpr double enough = 1e3;
    std::size_t differ = 0;
    std::size_t told_apart = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto a = rows[i - 1];
        const auto b = rows[i];
        if (have_equal_products(kernel, a, b)) continue;
        ++differ;
        told_apart += kernel(a, a) - 2 * kernel(a, b) + kernel(b, b) > enough * rounding ? 1 : 0;
    }
    return 2 * told_apart >= differ;
}

bool are_alike_in_gram(const MatrixView& kernel, const FoldRows& fold) {
    // Sums of products round by some eps of the rows' lengths.
    constexpr double digits = 64 * eps;
    const double tolerated = digits * longest(kernel, fold.test);
    if (!has_digits_of(kernel, fold.train, tolerated * longest(kernel, fold.train))) return false;
    return std::all_of(fold.test.begin(), fold.test.end(), [&](Eigen::Index row) {
        return differ_by_constant(kernel, fold.train, fold.test.front(), row, tolerated);
    });
}

/// Whether all `rows` have the value of `row` in column `j`.
bool are_all(const MatrixView& features, const Rows& rows, Eigen::Index row, Eigen::Index j) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](Eigen::Index other) { return features(other, j) == features(row, j); });
}

bool are_alike_in_features(const MatrixView& features, const FoldRows& fold) {
    for (Eigen::Index j = 0; j < features.cols(); ++j)
        if (!are_all(features, fold.train, fold.train.front(), j) &&
            !are_all(features, fold.test, fold.test.front(), j))
            return false;
    return true;
}

}  // namespace

bool are_equal_rows(const Kernel& kernel, Eigen::Index a, Eigen::Index b) {
    if (kernel.is_held()) return have_equal_products(kernel.entries(), a, b);
    const auto& features = kernel.features();
    for (Eigen::Index j = 0; j < features.cols(); ++j)
        if (features(a, j) != features(b, j)) return false;
    return true;
}

bool are_alike(const Kernel& kernel, const FoldRows& fold) {
    if (kernel.rows() == 0 || fold.test.empty() || fold.train.empty()) return false;
    return kernel.is_held() ? are_alike_in_gram(kernel.entries(), fold)
                            : are_alike_in_features(kernel.features(), fold);
}

}  // namespace ventral::stats
