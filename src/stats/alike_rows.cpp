#include "stats/alike_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ventral::stats {
namespace {

using Rows = std::vector<Eigen::Index>;

double longest(MatrixView kernel, const Rows& rows) {
    double square = 0;
    for (const auto row : rows) square = std::max(square, kernel(row, row));
    return std::sqrt(square);
}

/// Whether the products of two rows with the train rows may differ by one number, where each is off
/// by what is tolerated times the train row's length.
bool differ_by_constant(MatrixView kernel, const Rows& train, Eigen::Index a, Eigen::Index b,
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

/// Whether most neighbours among the rows that are not equal differ by much more than their
/// products are rounded to: they do not beside a row that dwarfs them.
bool has_digits_of(MatrixView kernel, const Rows& rows, double rounding) {
    constexpr double enough = 1e3;
    std::size_t differ = 0;
    std::size_t told_apart = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto a = rows[i - 1];
        const auto b = rows[i];
        if (are_equal_rows(kernel, a, b)) continue;
        ++differ;
        told_apart += kernel(a, a) - 2 * kernel(a, b) + kernel(b, b) > enough * rounding ? 1 : 0;
    }
    return 2 * told_apart >= differ;
}

}  // namespace

bool are_equal_rows(MatrixView kernel, Eigen::Index a, Eigen::Index b) {
    // Few columns have equal entries in these places without being equal.
    return kernel(a, a) == kernel(a, b) && kernel(b, b) == kernel(a, b) &&
           kernel.col(a) == kernel.col(b);
}

bool are_alike_in_gram(MatrixView kernel, const FoldRows& fold) {
    if (kernel.rows() == 0 || fold.test.empty() || fold.train.empty()) return false;
    // Sums of products round by some eps of the rows' lengths.
    constexpr double digits = 64 * std::numeric_limits<double>::epsilon();
    const double tolerated = digits * longest(kernel, fold.test);
    if (!has_digits_of(kernel, fold.train, tolerated * longest(kernel, fold.train))) return false;
    return std::all_of(fold.test.begin(), fold.test.end(), [&](Eigen::Index row) {
        return differ_by_constant(kernel, fold.train, fold.test.front(), row, tolerated);
    });
}

}  // namespace ventral::stats
