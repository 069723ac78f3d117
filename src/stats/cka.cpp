#include "stats/cka.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "stats/gram.hpp"
#include "stats/matrix_slabs.hpp"

namespace ventral::stats {
namespace {

using Rows = std::span<const Eigen::Index>;

constexpr std::size_t columns_of_a_task = 32;
constexpr double largest_finite = std::numeric_limits<double>::max();

/// Calls `task(column, scratch a, scratch b)` for each of `count` columns.
void for_each_column(
    std::size_t count, core::Workers& workers,
    const std::function<void(std::size_t, std::span<double>, std::span<double>)>& task) {
    workers.parallel_for((count + columns_of_a_task - 1) / columns_of_a_task, [&](std::size_t t) {
        std::vector<double> a(count);
        std::vector<double> b(count);
        const std::size_t first = t * columns_of_a_task;
        for (std::size_t j = first; j < std::min(first + columns_of_a_task, count); ++j)
            task(j, a, b);
    });
}

void copy_column(const MatrixView& kernel, Rows rows, std::size_t j, std::span<double> to) {
    const double* from = kernel.col(rows[j]).data();
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
}

/// t of the centred entries A(i, j) - (t(i) + t(j)).
std::vector<double> shifts(const std::vector<double>& row_sums, CkaForm form) {
    const auto n = static_cast<double>(row_sums.size());
    const double total = sum(row_sums);
    const double rows = form == CkaForm::unbiased ? n - 2 : n;
    const double all = form == CkaForm::unbiased ? (n - 1) * (n - 2) : n * n;
    std::vector<double> t(row_sums.size());
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = row_sums[i] / rows - total / (2 * all);
    return t;
}

/// Both kernels over the rows, with what centres them.
struct Pair {
    const MatrixView& k;
    const MatrixView& l;
    Rows rows;
    CkaForm form;
    std::vector<double> k_shifts = {};
    std::vector<double> l_shifts = {};
};

void find_shifts(Pair& pair, core::Workers& workers) {
    const std::size_t n = pair.rows.size();
    std::vector<double> k_sums(n);
    std::vector<double> l_sums(n);
    for_each_column(n, workers, [&](std::size_t j, std::span<double> a, std::span<double> b) {
        copy_column(pair.k, pair.rows, j, a);
        copy_column(pair.l, pair.rows, j, b);
        if (pair.form == CkaForm::unbiased) a[j] = b[j] = 0;
        k_sums[j] = sum(a);
        l_sums[j] = sum(b);
    });
    pair.k_shifts = shifts(k_sums, pair.form);
    pair.l_shifts = shifts(l_sums, pair.form);
}

void centre(std::span<double> column, const std::vector<double>& t, std::size_t j) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= t[i] + t[j];
}

/// Sums over all entries of the centred kernels' products.
struct Alignment {
    double kk, kl, ll;
};

Alignment align(const Pair& pair, core::Workers& workers) {
    const std::size_t n = pair.rows.size();
    std::array<std::vector<double>, 3> parts;
    parts.fill(std::vector<double>(n));
    for_each_column(n, workers, [&](std::size_t j, std::span<double> a, std::span<double> b) {
        copy_column(pair.k, pair.rows, j, a);
        copy_column(pair.l, pair.rows, j, b);
        centre(a, pair.k_shifts, j);
        centre(b, pair.l_shifts, j);
        if (pair.form == CkaForm::unbiased) a[j] = b[j] = 0;
        parts[0][j] = dot(a, a);
        parts[1][j] = dot(a, b);
        parts[2][j] = dot(b, b);
    });
    return {sum(parts[0]), sum(parts[1]), sum(parts[2])};
}

std::vector<Eigen::Index> rows_not_finite(const Matrix& matrix) {
    std::vector<char> finite(static_cast<std::size_t>(matrix.rows()), 1);
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        const double* entries = matrix.col(j).data();
        for (std::size_t i = 0; i < finite.size(); ++i)
            finite[i] = static_cast<char>(finite[i] & (std::abs(entries[i]) <= largest_finite));
    }
    std::vector<Eigen::Index> rows;
    for (std::size_t i = 0; i < finite.size(); ++i)
        if (!finite[i]) rows.push_back(static_cast<Eigen::Index>(i));
    return rows;
}

Matrix kernel_of(const Matrix& targets, core::Workers& workers) {
    const auto rows = static_cast<std::size_t>(targets.rows());
    const auto columns = static_cast<std::size_t>(targets.cols());
    std::vector<double> block(gram_sizes(rows, columns).total());
    const auto memory = gram_memory(block, rows, columns);
    build_gram(rows, columns, slabs_of_columns(targets), memory, workers, {});
    return MatrixView(memory.kernel.data(), targets.rows(), targets.rows());
}

}  // namespace

Matrix target_kernel(const Matrix& targets, core::Workers& workers) {
    const auto undefined = rows_not_finite(targets);
    if (undefined.empty()) return kernel_of(targets, workers);
    Matrix finite = targets;
    for (const auto row : undefined) finite.row(row).setZero();
    Matrix kernel = kernel_of(finite, workers);
    for (const auto row : undefined) {
        kernel.row(row).setConstant(std::numeric_limits<double>::quiet_NaN());
        kernel.col(row).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    return kernel;
}

double cka(const MatrixView& k, const MatrixView& l, std::span<const Eigen::Index> rows,
           CkaForm form, core::Workers& workers) {
    const auto n = static_cast<double>(rows.size());
    if (form == CkaForm::unbiased && rows.size() < 4)
        throw core::InputError("cka of " + std::to_string(rows.size()) +
                               " stimuli (its unbiased estimate needs at least 4) score more "
                               "stimuli or choose cka_biased");
    Pair pair{k, l, rows, form};
    find_shifts(pair, workers);
    const Alignment sums = align(pair, workers);
    if (form == CkaForm::biased) return sums.kl / (std::sqrt(sums.kk) * std::sqrt(sums.ll));
    const double scale = n * (n - 3);
    const double product = (sums.kk / scale) * (sums.ll / scale);
    if (product <= 0) return 0;
    return sums.kl / scale / (std::sqrt(product) + 1e-12);
}

}  // namespace ventral::stats
