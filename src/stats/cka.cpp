#include "stats/cka.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "stats/folds.hpp"
#include "stats/gram.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/matrix_slabs.hpp"

namespace ventral::stats {
namespace {

using Rows = std::span<const Eigen::Index>;

constexpr std::size_t columns_of_a_task = 32;
constexpr double largest_finite = std::numeric_limits<double>::max();

/// Fills `out`, rows × count, with columns of a kernel over the compared rows.
using FillColumns = std::function<void(std::size_t first, std::size_t count, Matrix& out)>;

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
    FillColumns k;
    FillColumns l;
    Rows rows;
    CkaForm form;
    std::vector<double> k_shifts = {};
    std::vector<double> l_shifts = {};
    double k_rounding = 0;  ///< what rounding may leave of entries whose squares add up to 0
    double l_rounding = 0;
};

/// Of a kernel that is held; `kernel` and `rows` must outlive the result.
FillColumns copied_columns(const MatrixView& kernel, Rows rows) {
    return [&kernel, rows](std::size_t first, std::size_t count, Matrix& out) {
        for (std::size_t j = 0; j < count; ++j) {
            const double* from = kernel.col(rows[first + j]).data();
            double* to = out.data() + j * rows.size();
            for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
        }
    };
}

/// Of the kernel of a matrix, centred on the compared rows.
FillColumns multiplied_columns(const Eigen::Ref<const Matrix>& matrix, Rows rows) {
    const std::vector<Eigen::Index> compared(rows.begin(), rows.end());
    const auto centred = std::make_shared<const Matrix>(
        centred_rows(matrix, compared, column_means(matrix, compared)));
    return [centred](std::size_t first, std::size_t count, Matrix& out) {
        out = multiply(
            *centred,
            centred->middleRows(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count))
                .transpose());
    };
}

FillColumns columns_of_kernel(const Kernel& kernel, Rows rows) {
    return kernel.is_held() ? copied_columns(kernel.entries(), rows)
                            : multiplied_columns(kernel.features(), rows);
}

using OnColumns = std::function<void(std::size_t j, std::span<double> k, std::span<double> l)>;

/// Calls `task` with a copy of each column of both kernels, of which the unbiased form ignores the
/// diagonal: there it is zero.
void for_each_column(const Pair& pair, core::Workers& workers, const OnColumns& task) {
    const std::size_t n = pair.rows.size();
    workers.parallel_for((n + columns_of_a_task - 1) / columns_of_a_task, [&](std::size_t t) {
        const std::size_t first = t * columns_of_a_task;
        const std::size_t count = std::min(columns_of_a_task, n - first);
        Matrix k_block(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(count));
        Matrix l_block(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(count));
        pair.k(first, count, k_block);
        pair.l(first, count, l_block);
        for (std::size_t j = first; j < first + count; ++j) {
            const std::span<double> k(k_block.data() + (j - first) * n, n);
            const std::span<double> l(l_block.data() + (j - first) * n, n);
            if (pair.form == CkaForm::unbiased) k[j] = l[j] = 0;
            task(j, k, l);
        }
    });
}

/// The rows of a centred kernel add up to what its diagonal has.
double rounding_by(const std::vector<double>& row_sums) {
    constexpr double digits = 64 * std::numeric_limits<double>::epsilon();
    double largest = 0;
    for (const double each : row_sums) largest = std::max(largest, std::abs(each));
    return digits * largest;
}

void find_shifts(Pair& pair, core::Workers& workers) {
    std::vector<double> k_sums(pair.rows.size());
    std::vector<double> l_sums(pair.rows.size());
    for_each_column(pair, workers, [&](std::size_t j, std::span<double> k, std::span<double> l) {
        k_sums[j] = sum(k);
        l_sums[j] = sum(l);
    });
    pair.k_rounding = rounding_by(k_sums);
    pair.l_rounding = rounding_by(l_sums);
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
    std::array<std::vector<double>, 3> parts;
    parts.fill(std::vector<double>(pair.rows.size()));
    for_each_column(pair, workers, [&](std::size_t j, std::span<double> k, std::span<double> l) {
        centre(k, pair.k_shifts, j);
        centre(l, pair.l_shifts, j);
        if (pair.form == CkaForm::unbiased) k[j] = l[j] = 0;
        parts[0][j] = dot(k, k);
        parts[1][j] = dot(k, l);
        parts[2][j] = dot(l, l);
    });
    return {sum(parts[0]), sum(parts[1]), sum(parts[2])};
}

double cka_of(Pair pair, core::Workers& workers) {
    const auto n = static_cast<double>(pair.rows.size());
    if (pair.form == CkaForm::unbiased && pair.rows.size() < 4)
        throw core::InputError("cka of " + std::to_string(pair.rows.size()) +
                               " stimuli (its unbiased estimate needs at least 4) score more "
                               "stimuli or choose cka_biased");
    find_shifts(pair, workers);
    const Alignment sums = align(pair, workers);
    if (pair.form == CkaForm::biased) return sums.kl / (std::sqrt(sums.kk) * std::sqrt(sums.ll));
    // Where one stimulus alone has features, exact sums are 0.
    if (std::sqrt(sums.kk) <= pair.k_rounding || std::sqrt(sums.ll) <= pair.l_rounding) return 0;
    const double scale = n * (n - 3);
    const double product = (sums.kk / scale) * (sums.ll / scale);
    if (product <= 0) return 0;
    return sums.kl / scale / (std::sqrt(product) + 1e-12);
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

bool cka_prefers_targets(const Matrix& targets) { return targets.cols() <= targets.rows(); }

double cka(const Kernel& k, const MatrixView& l, std::span<const Eigen::Index> rows, CkaForm form,
           core::Workers& workers) {
    return cka_of({columns_of_kernel(k, rows), copied_columns(l, rows), rows, form}, workers);
}

double cka_with_targets(const Kernel& k, const Matrix& targets, std::span<const Eigen::Index> rows,
                        CkaForm form, core::Workers& workers) {
    return cka_of({columns_of_kernel(k, rows), multiplied_columns(targets, rows), rows, form},
                  workers);
}

}  // namespace ventral::stats
