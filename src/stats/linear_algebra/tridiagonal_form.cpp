#include "stats/linear_algebra/tridiagonal_form.hpp"

#include <algorithm>
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

constexpr Eigen::Index panel = 32;           // columns eliminated before the others are updated
constexpr Eigen::Index update_block = 128;   // columns that one task updates
constexpr Eigen::Index product_block = 256;  // columns that one task multiplies, at least
constexpr Eigen::Index product_blocks = 8;   // at most

/// a · x for the lower triangle that begins in row and column `first`, by parts that are added up
/// in their order.
Vector symmetric_product(const Matrix& a, Eigen::Index first, const double* x,
                         core::Workers& workers) {
    const Eigen::Index size = a.rows() - first;
    const auto triangle = a.bottomRightCorner(size, size);
    const Matrix factor = Eigen::Map<const Vector>(x, size);
    const auto blocks =
        even_blocks(size, std::max(product_block, core::ceil_divide(size, product_blocks)));
    std::vector<Matrix> parts(blocks.size());
    workers.parallel_for(blocks.size(), [&](std::size_t b) {
        parts[b] = Matrix::Zero(size, 1);
        add_symmetric_part(triangle, factor, blocks[b], parts[b]);
    });
    for (std::size_t b = 1; b < parts.size(); ++b) parts[0] += parts[b];
    return parts[0];
}

/// The reflectors V of some columns, and W with which A − V Wᵀ − W Vᵀ is the matrix that they
/// leave, for the rows from the first of the columns on.
class ReflectorPanel {
public:
    ReflectorPanel(Matrix& a, Eigen::Index first, Eigen::Index width)
        : a_(a), first_(first), width_(width), w_(Matrix::Zero(a.rows(), width)) {}

    void eliminate(TridiagonalForm& form, core::Workers& workers) {
        for (Eigen::Index k = 0; k < width_; ++k) eliminate(k, form, workers);
    }

    /// Takes V Wᵀ + W Vᵀ from the lower triangle of the columns behind.
    void update_rest(core::Workers& workers) {
        const Eigen::Index rest = first_ + width_;
        for_blocks(a_.rows() - rest, update_block, workers, [&](const Block& block) {
            const Eigen::Index column = rest + block.first;
            const Eigen::Index count = block.count;
            cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, blas_size(count),
                         blas_size(width_), -1.0, v(column), leading(), w(column), leading(), 1.0,
                         a_.col(column).data() + column, leading());
            const Eigen::Index below = column + count;
            multiply_into(v(below), w(column), below, column, count);
            multiply_into(w(below), v(column), below, column, count);
        });
    }

private:
    int leading() const { return blas_size(a_.rows()); }
    const double* v(Eigen::Index row) const { return a_.col(first_).data() + row; }
    const double* w(Eigen::Index row) const { return w_.data() + row; }

    void multiply_into(const double* rows, const double* columns, Eigen::Index row,
                       Eigen::Index column, Eigen::Index count) {
        if (row == a_.rows()) return;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_size(a_.rows() - row),
                    blas_size(count), blas_size(width_), -1.0, rows, leading(), columns, leading(),
                    1.0, a_.col(column).data() + row, leading());
    }

    /// y ← y − m x for the first `count` columns of V or W, from `row` on.
    void take(const double* m, Eigen::Index row, Eigen::Index count, const double* x, int stride,
              double* y) const {
        cblas_dgemv(CblasColMajor, CblasNoTrans, blas_size(a_.rows() - row), blas_size(count), -1.0,
                    m, leading(), x, stride, 1.0, y, 1);
    }

    /// What x has along the first `count` columns of V or W.
    Vector along(const double* m, Eigen::Index row, Eigen::Index count, const double* x) const {
        Vector result(count);
        cblas_dgemv(CblasColMajor, CblasTrans, blas_size(a_.rows() - row), blas_size(count), 1.0, m,
                    leading(), x, 1, 0.0, result.data(), 1);
        return result;
    }

    void eliminate(Eigen::Index k, TridiagonalForm& form, core::Workers& workers) {
        const Eigen::Index column = first_ + k;
        const Eigen::Index below = column + 1;
        double* on_diagonal = a_.col(column).data() + column;
        if (k > 0) {
            take(v(column), column, k, w(column), leading(), on_diagonal);
            take(w(column), column, k, v(column), leading(), on_diagonal);
        }
        form.diagonal(column) = *on_diagonal;
        double* reflector = on_diagonal + 1;
        LAPACKE_dlarfg_work(blas_size(a_.rows() - below), reflector, reflector + 1, 1,
                            &form.scales(column));
        form.off_diagonal(column) = std::exchange(*reflector, 1.0);
        Vector product = symmetric_product(a_, below, reflector, workers);
        if (k > 0) {
            const Vector along_w = along(w(below), below, k, reflector);
            const Vector along_v = along(v(below), below, k, reflector);
            take(v(below), below, k, along_w.data(), 1, product.data());
            take(w(below), below, k, along_v.data(), 1, product.data());
        }
        product *= form.scales(column);
        const Eigen::Map<const Vector> direction(reflector, product.size());
        const double length = dot(as_span(product), {reflector, as_span(product).size()});
        product -= (form.scales(column) * length / 2) * direction;
        w_.col(k).tail(product.size()) = product;
    }

    Matrix& a_;
    Eigen::Index first_;
    Eigen::Index width_;
    Matrix w_;
};

}  // namespace

TridiagonalForm tridiagonal_form(Matrix& a, core::Workers& workers) {
    const Eigen::Index n = a.rows();
    TridiagonalForm form{Vector(n), Vector(n - 1), Vector(n - 1)};
    for (Eigen::Index first = 0; first < n - 1; first += panel) {
        ReflectorPanel columns(a, first, std::min(panel, n - 1 - first));
        columns.eliminate(form, workers);
        columns.update_rest(workers);
    }
    form.diagonal(n - 1) = a(n - 1, n - 1);
    return form;
}

}  // namespace ventral::stats
