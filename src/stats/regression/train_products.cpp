#include "stats/regression/train_products.hpp"

#include <algorithm>
#include <vector>

#include <cblas.h>

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

using Columns = std::vector<Eigen::Index>;

/// Tiles of XᵀX for one task each.
constexpr Eigen::Index tile_edge = 256;
/// How many times as much a feature may vary over all rows as over the train rows.
constexpr double most_excess = 2;

std::vector<Eigen::Index> rows_without(const FoldRows& fold, Eigen::Index rows) {
    std::vector<bool> trains(static_cast<std::size_t>(rows), false);
    for (const auto row : fold.train) trains[static_cast<std::size_t>(row)] = true;
    std::vector<Eigen::Index> others;
    for (Eigen::Index row = 0; row < rows; ++row)
        if (!trains[static_cast<std::size_t>(row)]) others.push_back(row);
    return others;
}

/// products ← products + factor · rowsᵀ rows, of which the lower triangle.
void add_products(const Matrix& rows, double factor, Matrix& products) {
    if (rows.rows() == 0) return;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, blas_size(rows.cols()),
                blas_size(rows.rows()), factor, rows.data(), blas_size(rows.rows()), 1.0,
                products.data(), blas_size(products.rows()));
}

/// These columns, and rows, of the lower triangle of X̃ᵀX̃.
void make_anew(const Columns& columns, const Matrix& centred, Matrix& products) {
    if (columns.empty()) return;
    Matrix chosen(centred.rows(), static_cast<Eigen::Index>(columns.size()));
    for (Eigen::Index c = 0; c < chosen.cols(); ++c)
        chosen.col(c) = centred.col(columns[static_cast<std::size_t>(c)]);
    const Matrix made = multiply_transposed(centred, chosen);
    for (Eigen::Index c = 0; c < made.cols(); ++c) {
        const auto column = columns[static_cast<std::size_t>(c)];
        products.row(column).head(column) = made.col(c).head(column).transpose();
        products.col(column).tail(made.rows() - column) = made.col(c).tail(made.rows() - column);
    }
}

}  // namespace

Matrix own_products(const Matrix& centred) {
    Matrix products = Matrix::Zero(centred.cols(), centred.cols());
    add_products(centred, 1, products);
    return products;
}

Matrix own_row_products(const Matrix& centred) {
    Matrix products = Matrix::Zero(centred.rows(), centred.rows());
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, blas_size(centred.rows()),
                blas_size(centred.cols()), 1.0, centred.data(), blas_size(centred.rows()), 0.0,
                products.data(), blas_size(products.rows()));
    return products;
}

bool TrainProducts::pay(std::span<const FoldRows> folds, Eigen::Index rows) {
    auto shared = static_cast<double>(rows);
    double apart = 0;
    for (const auto& fold : folds) {
        const auto others = rows_without(fold, rows).size();
        if (others + fold.train.size() != static_cast<std::size_t>(rows)) return false;  // twice
        shared += static_cast<double>(others);
        apart += static_cast<double>(fold.train.size());
    }
    return shared < apart;
}

TrainProducts::TrainProducts(const Matrix& features, core::Workers& workers)
    : features_(features), products_(features.cols(), features.cols()) {
    const auto blocks = even_blocks(features.cols(), tile_edge);
    workers.parallel_for(blocks.size() * blocks.size(), [&](std::size_t tile) {
        const auto& row = blocks[tile / blocks.size()];
        const auto& column = blocks[tile % blocks.size()];
        if (row.first < column.first) return;
        products_.block(row.first, column.first, row.count, column.count) =
            multiply_transposed(features.middleCols(row.first, row.count),
                                features.middleCols(column.first, column.count));
    });
}

Matrix TrainProducts::of(const FoldRows& fold, const Matrix& centred, const Vector& mean,
                         double alpha) const {
    Matrix products = products_;
    add_products(rows_of(features_, rows_without(fold, features_.rows())), -1, products);
    cblas_dsyr(CblasColMajor, CblasLower, blas_size(mean.size()),
               -static_cast<double>(fold.train.size()), mean.data(), 1, products.data(),
               blas_size(products.rows()));
    Columns excessive;
    for (Eigen::Index j = 0; j < mean.size(); ++j)
        if (!(products_(j, j) <= most_excess * (products(j, j) + alpha))) excessive.push_back(j);
    if (columns_to_one_anew * static_cast<Eigen::Index>(excessive.size()) > mean.size()) {
        products = Matrix();
        return own_products(centred);
    }
    make_anew(excessive, centred, products);
    return products;
}

}  // namespace ventral::stats
