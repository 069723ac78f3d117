#include "stats/pls/pls_fold_start.hpp"

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

/// Where the train rows have less than this part of a sum of squares over all rows in use, the
/// others dwarf them.
constexpr double dwarfed_below = 0.01;

Matrix with_column(const Matrix& matrix, const Vector& column) {
    Matrix wider(matrix.rows(), matrix.cols() + 1);
    wider << matrix, column;
    return wider;
}

/// (`targets`, `in_use`) of some rows.
Matrix targets_and_ones(const PlsProblem& shared, const std::vector<Eigen::Index>& rows) {
    return with_column(rows_of(shared.targets, rows), entries_of(shared.in_use, rows));
}

/// K times that, of all rows in use.
Matrix kernel_times_all(const PlsProblem& shared, const std::vector<Eigen::Index>& rows) {
    return with_column(rows_of(shared.kernel_targets, rows), entries_of(shared.kernel_sums, rows));
}

/// The means of the shared targets over the train rows, and in the form of columns what each has
/// beside its mean.
void find_moments(const PlsProblem& shared, const FoldRows& fold, PlsFoldStart& start) {
    for (Eigen::Index j = 0; j < start.means.size(); ++j) {
        Vector y = entries_of(shared.targets.col(j), fold.train);
        start.means(j) = sum(as_span(y)) / static_cast<double>(y.size());
        if (shared.form == PlsTargetForm::rows) continue;
        y.array() -= start.means(j);
        start.squares.push_back(start.targets.vanished(j) ? 0.0 : dot(y, y));
    }
}

/// Makes columns `block` of Yᵀ K Y, from the first one's diagonal on, those of centred targets;
/// `sums` is (Y, 1)ᵀ K 1 before.
void centre_products(const Vector& means, const Vector& sums, const Block& block, Matrix& g) {
    const Eigen::Index q = means.size();
    for (Eigen::Index c = 0; c < block.count; ++c) {
        const Eigen::Index j = block.first + c;
        for (Eigen::Index i = j; i < q; ++i)
            g(i - block.first, c) += means(i) * (means(j) * sums(q) - sums(j)) - sums(i) * means(j);
    }
}

/// G = Yᵀ K Y. The products over all rows in use are known, so only the rows that the fold leaves
/// out are multiplied again if they are the fewer.
void form_gram(const PlsProblem& shared, PlsFoldStart& start) {
    const auto& rows = start.train.fewer();
    const bool few_train = start.train.are_few();
    const Matrix y = targets_and_ones(shared, rows);
    Matrix kernel_y = shared.problem.kernel.part_times(rows, y);
    if (!few_train) kernel_y = kernel_times_all(shared, rows) - 0.5 * kernel_y;
    const auto products = [&](const Block& columns, Eigen::Index from) -> Matrix {
        const Eigen::Index below = y.cols() - from;
        Matrix of_rows = multiply_transposed(y.rightCols(below),
                                             kernel_y.middleCols(columns.first, columns.count));
        if (few_train) return of_rows;
        return of_rows + multiply_transposed(kernel_y.rightCols(below),
                                             y.middleCols(columns.first, columns.count));
    };
    const Eigen::Index q = start.gram.size();
    Vector sums = products({q, 1}, 0);
    if (!few_train) sums = shared.products.row(q).transpose() - sums;
    start.kernel_sum = sums(q);
    for (const auto& block : even_blocks(q, pls_gram_block)) {
        Matrix g = products(block, block.first);
        if (!few_train) g = shared.products.block(block.first, block.first, g.rows(), g.cols()) - g;
        centre_products(start.means, sums, block, g);
        start.gram.set_columns(block.first, g);
    }
}

/// By the squares of the targets, centred on the train rows there, times those of the features, row
/// by row: the terms of K Y and of G are about as large, if they have not all the same sign. In the
/// form of rows any orthogonal matrix times Z would do as well, so that only all of it counts.
bool has_dwarfed_targets(const PlsProblem& shared, const FoldRows& fold,
                         const PlsFoldStart& start) {
    const bool are_others = sum(as_span(shared.in_use)) > static_cast<double>(fold.train.size());
    if (!are_others) return false;
    const Vector& weights = shared.kernel_diagonal;
    double all_columns = 0;
    double train_columns = 0;
    for (Eigen::Index j = 0; j < start.means.size(); ++j) {
        const auto y = shared.targets.col(j).array();
        const Vector squares = y.square() * weights.array();
        const Vector centred = (y - start.means(j)).square() * weights.array();
        const double all = sum(as_span(squares));
        const double train = sum(as_span(entries_of(centred, fold.train)));
        const bool counts = shared.form == PlsTargetForm::columns && !start.targets.vanished(j);
        if (counts && train < dwarfed_below * all) return true;
        all_columns += all;
        train_columns += train;
    }
    return train_columns < dwarfed_below * all_columns;
}

}  // namespace

PlsFoldStart start_of_fold(const PlsProblem& shared, const FoldRows& fold) {
    const Eigen::Index q = shared.targets.cols();
    PlsFoldStart start{PlsTargets(shared.problem.targets, fold),
                       TrainRows(fold, shared.targets.rows()),
                       Vector(q),
                       {},
                       PackedSymmetric(q)};
    find_moments(shared, fold, start);
    form_gram(shared, start);
    start.is_dwarfed = has_dwarfed_targets(shared, fold, start);
    return start;
}

Matrix kernel_times_fold_targets(const PlsProblem& shared, const TrainRows& train,
                                 const Vector& means) {
    const auto& rows = train.fewer();
    Matrix v = shared.problem.kernel.columns_times(rows, targets_and_ones(shared, rows));
    Vector train_sums = v.col(v.cols() - 1);
    v.conservativeResize(Eigen::NoChange, v.cols() - 1);
    if (!train.are_few()) {
        v = shared.kernel_targets - v;
        train_sums = shared.kernel_sums - train_sums;
    }
    Vector column;
    for (Eigen::Index j = 0; j < v.cols(); ++j) {
        column = v.col(j) - means(j) * train_sums;
        train.centre(column);
        train.keep(column);
        v.col(j) = column;
    }
    return v;
}

}  // namespace ventral::stats
