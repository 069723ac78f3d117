#include "stats/linear_algebra/band_form.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <cblas.h>
#include <lapacke.h>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/symmetric_product.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel = 6 * band_width;  // columns eliminated before the others are updated
constexpr Eigen::Index update_block = 128;      // columns that one task updates
constexpr Eigen::Index product_block = 256;     // columns that one task multiplies, at least
constexpr Eigen::Index product_blocks = 8;      // at most

/// a · b for the lower triangle of a, by parts that are added up in their order.
Matrix symmetric_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                         core::Workers& workers) {
    const auto blocks =
        even_blocks(a.rows(), std::max(product_block, core::ceil_divide(a.rows(), product_blocks)));
    std::vector<Matrix> parts(blocks.size());
    workers.parallel_for(blocks.size(), [&](std::size_t p) {
        parts[p] = Matrix::Zero(a.rows(), b.cols());
        add_symmetric_part(a, b, blocks[p], parts[p]);
    });
    for (std::size_t p = 1; p < parts.size(); ++p) parts[0] += parts[p];
    return std::move(parts[0]);
}

/// The reflectors V of some columns, and W with which A − V Wᵀ − W Vᵀ is the matrix that they
/// leave.
class ReflectorPanel {
public:
    ReflectorPanel(Matrix& a, Eigen::Index first)
        : a_(a), first_(first), v_(Matrix::Zero(a.rows(), panel)), w_(v_) {}

    /// Whether a column from this one on has something below the band.
    static bool is_left(const Matrix& a, Eigen::Index column) {
        return column + band_width + 1 < a.rows();
    }

    /// The number of columns that are done.
    Eigen::Index eliminate(Vector& scales, core::Workers& workers) {
        Eigen::Index done = 0;
        for (; done < panel && is_left(a_, first_ + done); done += band_width) {
            update_columns(done);
            const Matrix triangle = reflect(done, scales);
            find_update(done, triangle, workers);
        }
        return done;
    }

    /// Takes V Wᵀ + W Vᵀ from the lower triangle of the columns from `rest` on.
    void update_rest(Eigen::Index rest, core::Workers& workers) {
        for_blocks(a_.rows() - rest, update_block, workers, [&](const Block& block) {
            const Eigen::Index column = rest + block.first;
            const Eigen::Index below = column + block.count;
            cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, blas_size(block.count), panel,
                         -1.0, &v_(column, 0), leading(), &w_(column, 0), leading(), 1.0,
                         &a_(column, column), leading());
            if (below < a_.rows()) take(below, column, block.count, panel);
        });
    }

private:
    int leading() const { return blas_size(a_.rows()); }

    /// a ← a − V Wᵀ − W Vᵀ by the first `known` columns of V and W, for the rows from `row` on.
    void take(Eigen::Index row, Eigen::Index column, Eigen::Index columns, Eigen::Index known) {
        const auto add = [&](const Matrix& left, const Matrix& right) {
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_size(a_.rows() - row),
                        blas_size(columns), blas_size(known), -1.0, &left(row, 0), leading(),
                        &right(column, 0), leading(), 1.0, &a_(row, column), leading());
        };
        add(v_, w_);
        add(w_, v_);
    }

    /// What the reflectors of the panel so far leave of its next columns.
    void update_columns(Eigen::Index known) {
        if (known > 0) take(first_ + known, first_ + known, band_width, known);
    }

    /// Makes the next columns upper triangular below the band. The triangle of the reflectors that
    /// do it, I − V triangle Vᵀ together.
    Matrix reflect(Eigen::Index known, Vector& scales) {
        const Eigen::Index column = first_ + known;
        const Eigen::Index row = column + band_width;
        const Eigen::Index rows = a_.rows() - row;
        const Eigen::Index count = std::min(rows, band_width);
        std::array<double, band_width> work;
        LAPACKE_dgeqr2_work(LAPACK_COL_MAJOR, blas_size(rows), band_width, &a_(row, column),
                            leading(), &scales(column), work.data());
        for (Eigen::Index k = 0; k < count; ++k) {
            v_(row + k, known + k) = 1;
            v_.col(known + k).tail(rows - k - 1) = a_.col(column + k).tail(rows - k - 1);
        }
        Matrix triangle = Matrix::Zero(count, count);
        LAPACKE_dlarft_work(LAPACK_COL_MAJOR, 'F', 'C', blas_size(rows), blas_size(count),
                            &a_(row, column), leading(), &scales(column), triangle.data(),
                            blas_size(count));
        return triangle;
    }

    /// The columns of W of the reflectors that have been found last: with Y = A V triangle they are
    /// Y − V (triangleᵀ Vᵀ Y) / 2.
    void find_update(Eigen::Index known, const Matrix& triangle, core::Workers& workers) {
        const Eigen::Index row = first_ + known + band_width;
        const Eigen::Index rows = a_.rows() - row;
        const auto v = v_.block(row, known, rows, triangle.cols());
        Matrix product = symmetric_product(a_.bottomRightCorner(rows, rows), v, workers);
        if (known > 0) {
            const auto v_before = v_.block(row, 0, rows, known);
            const auto w_before = w_.block(row, 0, rows, known);
            product -= multiply(v_before, multiply_transposed(w_before, v));
            product -= multiply(w_before, multiply_transposed(v_before, v));
        }
        Matrix y = multiply(product, triangle);
        const Matrix both = multiply_transposed(triangle, multiply_transposed(v, y));
        y -= multiply(v, both) / 2;
        w_.block(row, known, rows, triangle.cols()) = y;
    }

    Matrix& a_;
    Eigen::Index first_;
    Matrix v_;
    Matrix w_;
};

Matrix band_of(const Matrix& a) {
    Matrix band = Matrix::Zero(band_width + 1, a.rows());
    for (Eigen::Index column = 0; column < a.rows(); ++column) {
        const Eigen::Index count = std::min(band_width + 1, a.rows() - column);
        band.col(column).head(count) = a.col(column).segment(column, count);
    }
    return band;
}

}  // namespace

BandForm band_form(Matrix& a, core::Workers& workers) {
    Vector scales = Vector::Zero(std::max<Eigen::Index>(a.rows() - band_width, 0));
    for (Eigen::Index first = 0; ReflectorPanel::is_left(a, first);) {
        ReflectorPanel columns(a, first);
        first += columns.eliminate(scales, workers);
        columns.update_rest(first, workers);
    }
    return {band_of(a), std::move(scales)};
}

}  // namespace ventral::stats
