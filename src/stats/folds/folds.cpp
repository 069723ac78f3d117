#include "stats/folds/folds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include "stats/folds/alike_rows.hpp"

namespace ventral::stats {
namespace {

/// A number of each row that equal rows have in common, and others hardly ever.
std::vector<std::uint64_t> kinds_of_rows(const Kernel& kernel,
                                         const std::vector<Eigen::Index>& rows) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
    std::vector<std::uint64_t> kinds(rows.size());
    const auto mix = [&](std::size_t i, double value) {
        // −0 is equal to 0.
        kinds[i] = (std::rotl(kinds[i], 25) ^ std::bit_cast<std::uint64_t>(value + 0.0)) * factor;
    };
    if (kernel.is_held()) {
        for (std::size_t i = 0; i < rows.size(); ++i) mix(i, kernel.entries()(rows[i], rows[i]));
        return kinds;
    }
    const auto& features = kernel.features();
    for (Eigen::Index j = 0; j < features.cols(); ++j)
        for (std::size_t i = 0; i < rows.size(); ++i) mix(i, features(rows[i], j));
    return kinds;
}

void mark(const std::vector<Eigen::Index>& rows, std::vector<char>& marks) {
    for (const auto row : rows) marks[static_cast<std::size_t>(row)] = 1;
}

std::vector<Eigen::Index> rows_where(const std::vector<char>& marks, bool marked) {
    std::vector<Eigen::Index> rows;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if ((marks[i] != 0) == marked) rows.push_back(static_cast<Eigen::Index>(i));
    return rows;
}

}  // namespace

std::vector<char> marks_of(const std::vector<Eigen::Index>& rows, Eigen::Index n) {
    std::vector<char> marks(static_cast<std::size_t>(n), 0);
    mark(rows, marks);
    return marks;
}

std::vector<Eigen::Index> marked_rows(const std::vector<char>& marks) {
    return rows_where(marks, true);
}

std::vector<Eigen::Index> unmarked_rows(const std::vector<char>& marks) {
    return rows_where(marks, false);
}

std::vector<Eigen::Index> rows_in_use(Eigen::Index n, std::span<const FoldRows> folds) {
    std::vector<char> used(static_cast<std::size_t>(n), 0);
    for (const auto& fold : folds) mark(fold.train, used);
    return marked_rows(used);
}

Matrix rows_of(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows) {
    Matrix part(static_cast<Eigen::Index>(rows.size()), matrix.cols());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        for (Eigen::Index i = 0; i < part.rows(); ++i)
            part(i, j) = matrix(rows[static_cast<std::size_t>(i)], j);
    return part;
}

Vector entries_of(const Eigen::Ref<const Vector>& v, const std::vector<Eigen::Index>& rows) {
    Vector part(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) part(static_cast<Eigen::Index>(i)) = v(rows[i]);
    return part;
}

Matrix centred_rows(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows,
                    const Vector& means) {
    Matrix part = rows_of(matrix, rows);
    for (Eigen::Index j = 0; j < part.cols(); ++j) part.col(j).array() -= means(j);
    return part;
}

void unite_equal_rows(const Kernel& kernel, const std::vector<Eigen::Index>& test,
                      Matrix& prediction) {
    const auto kinds = kinds_of_rows(kernel, test);
    std::map<std::uint64_t, std::vector<std::size_t>> firsts;  // of each kind
    for (std::size_t i = 0; i < test.size(); ++i) {
        auto& before = firsts[kinds[i]];
        const auto first = std::find_if(before.begin(), before.end(), [&](std::size_t other) {
            return are_equal_rows(kernel, test[other], test[i]);
        });
        if (first == before.end())
            before.push_back(i);
        else
            prediction.row(static_cast<Eigen::Index>(i)) =
                prediction.row(static_cast<Eigen::Index>(*first));
    }
}

Vector column_means(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows) {
    Vector means(matrix.cols());
    std::vector<double> values(rows.size());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        for (std::size_t i = 0; i < rows.size(); ++i) values[i] = matrix(rows[i], j);
        means(j) = sum(values) / static_cast<double>(rows.size());
    }
    return means;
}

}  // namespace ventral::stats
