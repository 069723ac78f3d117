#include "stats/similarity/cka.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/folds/folds.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/matrix_slabs.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

using Rows = std::span<const Eigen::Index>;

constexpr std::size_t columns_of_a_task = 32;
constexpr double largest_finite = std::numeric_limits<double>::max();

/// A kernel over the compared rows.
class ComparedKernel {
public:
    virtual ~ComparedKernel() = default;

    /// Sums of its rows, without the diagonal if the form ignores it.
    virtual std::vector<double> row_sums(CkaForm form, core::Workers& workers) const = 0;
    /// Its columns [first, first + count) from the diagonal of the first of them on, in `out`.
    virtual void fill_lower(std::size_t first, std::size_t count, Matrix& out) const = 0;
};

/// Of which all entries are held.
class HeldKernel : public ComparedKernel {
public:
    /// Both must outlive it.
    HeldKernel(const MatrixView& entries, Rows rows) : entries_(entries), rows_(rows) {}

    std::vector<double> row_sums(CkaForm form, core::Workers& workers) const override {
        const std::size_t n = rows_.size();
        std::vector<double> sums(n);
        workers.parallel_for(core::ceil_divide(n, columns_of_a_task), [&](std::size_t t) {
            std::vector<double> column(n);
            const std::size_t first = t * columns_of_a_task;
            for (std::size_t j = first; j < std::min(first + columns_of_a_task, n); ++j) {
                copy_column(j, 0, column.data());
                if (form == CkaForm::unbiased) column[j] = 0;
                sums[j] = sum(column);
            }
        });
        return sums;
    }

    void fill_lower(std::size_t first, std::size_t count, Matrix& out) const override {
        out.resize(static_cast<Eigen::Index>(rows_.size() - first),
                   static_cast<Eigen::Index>(count));
        for (std::size_t j = 0; j < count; ++j)
            copy_column(first + j, first, out.col(static_cast<Eigen::Index>(j)).data());
    }

private:
    void copy_column(std::size_t j, std::size_t from_row, double* to) const {
        const double* from = entries_.col(rows_[j]).data();
        for (std::size_t i = from_row; i < rows_.size(); ++i) to[i - from_row] = from[rows_[i]];
    }

    const MatrixView& entries_;
    Rows rows_;
};

/// X Xᵀ of a matrix that is centred on the compared rows.
class MultipliedKernel : public ComparedKernel {
public:
    MultipliedKernel(const Eigen::Ref<const Matrix>& matrix, Rows rows) {
        const std::vector<Eigen::Index> compared(rows.begin(), rows.end());
        centred_ = centred_rows(matrix, compared, column_means(matrix, compared));
        if (centred_.rows() == 0) return;
        for (Eigen::Index j = 0; j < centred_.cols(); ++j) take_rounded_mean_out(j);
    }

    std::vector<double> row_sums(CkaForm form, core::Workers&) const override {
        Vector sums = times(centred_, transposed_times(centred_, Vector::Ones(centred_.rows())));
        if (form == CkaForm::unbiased) sums -= diagonal();
        return {sums.data(), sums.data() + sums.size()};
    }

    const Matrix& centred() const { return centred_; }

    Vector diagonal() const {
        return Kernel::of_features({centred_.data(), centred_.rows(), centred_.cols()}).diagonal();
    }

    void fill_lower(std::size_t first, std::size_t count, Matrix& out) const override {
        const auto begin = static_cast<Eigen::Index>(first);
        out = multiply(centred_.bottomRows(centred_.rows() - begin),
                       centred_.middleRows(begin, static_cast<Eigen::Index>(count)).transpose());
    }

private:
    /// What the mean was rounded by, which is all that is left of a constant.
    void take_rounded_mean_out(Eigen::Index j) {
        auto entries = centred_.col(j).array();
        const bool is_constant = (entries == entries(0)).all();
        entries -= is_constant ? entries(0)
                               : sum(column(centred_, j)) / static_cast<double>(entries.size());
    }

    Matrix centred_;
};

std::unique_ptr<ComparedKernel> compared_kernel(const Kernel& kernel, Rows rows) {
    if (kernel.is_held()) return std::make_unique<HeldKernel>(kernel.entries(), rows);
    return std::make_unique<MultipliedKernel>(kernel.features(), rows);
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

/// Both kernels over the compared rows, with what centres them.
struct Pair {
    const ComparedKernel& k;
    const ComparedKernel& l;
    std::size_t rows;
    CkaForm form;
    std::vector<double> k_shifts = {};
    std::vector<double> l_shifts = {};
    double k_rounding = 0;  ///< what rounding may leave of entries whose squares add up to 0
    double l_rounding = 0;
};

/// The rows of a centred kernel add up to what its diagonal has.
double rounding_by(const std::vector<double>& row_sums) {
    constexpr double digits = 64 * eps;
    double largest = 0;
    for (const double each : row_sums) largest = std::max(largest, std::abs(each));
    return digits * largest;
}

void find_shifts(Pair& pair, core::Workers& workers) {
    const auto k_sums = pair.k.row_sums(pair.form, workers);
    const auto l_sums = pair.l.row_sums(pair.form, workers);
    pair.k_rounding = rounding_by(k_sums);
    pair.l_rounding = rounding_by(l_sums);
    pair.k_shifts = shifts(k_sums, pair.form);
    pair.l_shifts = shifts(l_sums, pair.form);
}

/// Column `j` from the diagonal on.
void centre(std::span<double> column, const std::vector<double>& t, std::size_t j) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= t[j + i] + t[j];
}

/// Sums over all entries of the centred kernels' products.
struct Alignment {
    double kk, kl, ll;
};

/// Of a column from the diagonal on: what is below it counts for its mirror image too.
double symmetric_dot(std::span<const double> a, std::span<const double> b) {
    return a[0] * b[0] + 2 * dot(a.subspan(1), b.subspan(1));
}

/// Only the lower triangles are looked at.
Alignment align(const Pair& pair, core::Workers& workers) {
    std::array<std::vector<double>, 3> parts;
    parts.fill(std::vector<double>(pair.rows));
    const std::size_t tasks = core::ceil_divide(pair.rows, columns_of_a_task);
    workers.parallel_for(tasks, [&](std::size_t t) {
        const std::size_t first = t * columns_of_a_task;
        const std::size_t count = std::min(columns_of_a_task, pair.rows - first);
        Matrix k_block;
        Matrix l_block;
        pair.k.fill_lower(first, count, k_block);
        pair.l.fill_lower(first, count, l_block);
        const auto below = [&](Matrix& block, std::size_t j) {
            const std::size_t above = j - first;
            return std::span<double>(block.col(static_cast<Eigen::Index>(above)).data() + above,
                                     pair.rows - j);
        };
        for (std::size_t j = first; j < first + count; ++j) {
            const auto k = below(k_block, j);
            const auto l = below(l_block, j);
            centre(k, pair.k_shifts, j);
            centre(l, pair.l_shifts, j);
            if (pair.form == CkaForm::unbiased) k[0] = l[0] = 0;
            parts[0][j] = symmetric_dot(k, k);
            parts[1][j] = symmetric_dot(k, l);
            parts[2][j] = symmetric_dot(l, l);
        }
    });
    return {sum(parts[0]), sum(parts[1]), sum(parts[2])};
}

double value_of(const Alignment& sums, std::size_t rows, CkaForm form) {
    if (form == CkaForm::biased) return sums.kl / (std::sqrt(sums.kk) * std::sqrt(sums.ll));
    const auto n = static_cast<double>(rows);
    const double scale = n * (n - 3);
    const double product = (sums.kk / scale) * (sums.ll / scale);
    if (product <= 0) return 0;
    return sums.kl / scale / (std::sqrt(product) + 1e-12);
}

double cka_of(Pair pair, core::Workers& workers) {
    find_shifts(pair, workers);
    const Alignment sums = align(pair, workers);
    // Squares that overflow would make a 0 of what nobody knows.
    if (!std::isfinite(sums.kk) || !std::isfinite(sums.ll))
        return std::numeric_limits<double>::quiet_NaN();
    // Where one stimulus alone has features, exact sums are 0.
    if (pair.form == CkaForm::unbiased &&
        (std::sqrt(sums.kk) <= pair.k_rounding || std::sqrt(sums.ll) <= pair.l_rounding))
        return 0;
    return value_of(sums, pair.rows, pair.form);
}

void check_rows(Rows rows, CkaForm form) {
    if (form == CkaForm::unbiased && rows.size() < 4)
        throw core::InputError("cka of " + std::to_string(rows.size()) +
                               " stimuli (its unbiased estimate needs at least 4) score more "
                               "stimuli or choose cka_biased");
}

/// |aᵀ b|², the sum of its squares; of one matrix twice from the lower triangle.
double square_of_product(const Matrix& a, const Matrix& b, core::Workers& workers) {
    constexpr Eigen::Index columns_of_a_block = 64;
    const bool is_symmetric = &a == &b;
    std::vector<double> parts(static_cast<std::size_t>(b.cols()));
    for_blocks(b.cols(), columns_of_a_block, workers, [&](const Block& block) {
        const Eigen::Index above = is_symmetric ? block.first : 0;
        const Matrix products = multiply_transposed(a.rightCols(a.cols() - above),
                                                    b.middleCols(block.first, block.count));
        for (Eigen::Index j = 0; j < block.count; ++j) {
            const auto column = stats::column(products, j);
            const auto below = column.subspan(static_cast<std::size_t>(is_symmetric ? j : 0));
            parts[static_cast<std::size_t>(block.first + j)] =
                is_symmetric ? symmetric_dot(below, below) : dot(below, below);
        }
    });
    return sum(parts);
}

/// Of a kernel: its diagonal, and what centres the rows without it.
struct Diagonal {
    Vector entries;
    Vector shifts;
};

Diagonal diagonal_of(const MultipliedKernel& kernel, core::Workers& workers) {
    const auto t = shifts(kernel.row_sums(CkaForm::unbiased, workers), CkaForm::unbiased);
    return {kernel.diagonal(),
            Eigen::Map<const Vector>(t.data(), static_cast<Eigen::Index>(t.size()))};
}

/// What centring and leaving the diagonals out adds to Σ A ∘ B. The rows of A and B, with their
/// diagonals, add up to 0.
double centring(const Diagonal& a, const Diagonal& b) {
    const auto n = static_cast<double>(a.shifts.size());
    const Vector left_a = a.entries - 2 * a.shifts;
    const Vector left_b = b.entries - 2 * b.shifts;
    return 2 * n * dot(a.shifts, b.shifts) + 2 * sum(as_span(a.shifts)) * sum(as_span(b.shifts)) -
           dot(left_a, left_b);
}

/// The same from products of the columns of both matrices; nothing if that has lost digits, or is
/// no number.
std::optional<Alignment> align_factors(const MultipliedKernel& k, const MultipliedKernel& l,
                                       CkaForm form, core::Workers& workers) {
    const Alignment with_diagonals{square_of_product(k.centred(), k.centred(), workers),
                                   square_of_product(k.centred(), l.centred(), workers),
                                   square_of_product(l.centred(), l.centred(), workers)};
    Alignment sums = with_diagonals;
    if (form == CkaForm::unbiased) {
        const Diagonal of_k = diagonal_of(k, workers);
        const Diagonal of_l = diagonal_of(l, workers);
        sums.kk += centring(of_k, of_k);
        sums.kl += centring(of_k, of_l);
        sums.ll += centring(of_l, of_l);
    }
    constexpr double least_left = 1e-3;
    const auto has_digits = [](double sum, double whole) {
        return sum >= least_left * whole && whole > 0 && std::isfinite(whole);
    };
    if (!has_digits(sums.kk, with_diagonals.kk) || !has_digits(sums.ll, with_diagonals.ll))
        return std::nullopt;
    return sums;
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
    build_gram({rows, columns, slabs_of_columns(targets)}, memory, workers, {});
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

bool cka_prefers_factors(std::size_t rows, std::size_t features, std::size_t targets) {
    return features + targets < rows;
}

double cka(const Kernel& k, const MatrixView& l, std::span<const Eigen::Index> rows, CkaForm form,
           core::Workers& workers) {
    check_rows(rows, form);
    const HeldKernel of_targets(l, rows);
    return cka_of({*compared_kernel(k, rows), of_targets, rows.size(), form}, workers);
}

double cka_with_targets(const Kernel& k, const Matrix& targets, std::span<const Eigen::Index> rows,
                        CkaForm form, core::Workers& workers) {
    check_rows(rows, form);
    const MultipliedKernel of_targets(targets, rows);
    if (!k.is_held() &&
        cka_prefers_factors(rows.size(), static_cast<std::size_t>(k.features().cols()),
                            static_cast<std::size_t>(targets.cols()))) {
        const MultipliedKernel of_features(k.features(), rows);
        if (const auto sums = align_factors(of_features, of_targets, form, workers))
            return value_of(*sums, rows.size(), form);
        return cka_of({of_features, of_targets, rows.size(), form}, workers);
    }
    return cka_of({*compared_kernel(k, rows), of_targets, rows.size(), form}, workers);
}

}  // namespace ventral::stats
