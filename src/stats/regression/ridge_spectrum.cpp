#include "stats/regression/ridge_spectrum.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <cblas.h>
#include <lapacke.h>

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/tridiagonal_form.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel = 64;          // reflectors that are applied together
constexpr Eigen::Index column_block = 128;  // columns that one task works on
constexpr Eigen::Index solved_block = 96;   // right-hand sides that one task works on

/// The product of Householder's reflectors as `tridiagonal_form` leaves them: reflector i begins in
/// row i + 1, so that without the first row they are stored as a QR factorisation's are.
class Reflectors {
public:
    Reflectors(const Matrix& stored, const Vector& scales, core::Workers& workers)
        : stored_(stored), panels_(even_blocks(stored.rows() - 1, panel)) {
        triangles_.resize(panels_.size());
        workers.parallel_for(panels_.size(), [&](std::size_t p) {
            const auto [first, count] = panels_[p];
            triangles_[p].resize(count, count);
            LAPACKE_dlarft_work(LAPACK_COL_MAJOR, 'F', 'C', blas_size(rows_below(first)),
                                blas_size(count), at(first), blas_size(stored_.rows()),
                                scales.data() + first, triangles_[p].data(), blas_size(count));
        });
    }

    Matrix product(core::Workers& workers) const {
        const Eigen::Index n = stored_.rows();
        Matrix q = Matrix::Identity(n, n);
        for_blocks(n - 1, column_block, workers, [&](const Block& block) { apply(block, q); });
        return q;
    }

private:
    Eigen::Index rows_below(Eigen::Index first) const { return stored_.rows() - 1 - first; }
    const double* at(Eigen::Index first) const { return stored_.col(first).data() + first + 1; }

    /// Some columns of the product, from the unit matrix's. A panel that begins below the last of
    /// them leaves them as they are.
    void apply(const Block& columns, Matrix& q) const {
        const auto count = blas_size(columns.count);
        Matrix work(columns.count, panel);
        for (std::size_t p = panels_.size(); p-- > 0;) {
            const auto [first, width] = panels_[p];
            if (first >= columns.first + columns.count) continue;
            const auto leading = blas_size(stored_.rows());
            LAPACKE_dlarfb_work(LAPACK_COL_MAJOR, 'L', 'N', 'F', 'C', blas_size(rows_below(first)),
                                count, blas_size(width), at(first), leading, triangles_[p].data(),
                                blas_size(width), q.col(columns.first + 1).data() + first + 1,
                                leading, work.data(), count);
        }
    }

    const Matrix& stored_;
    std::vector<Block> panels_;
    std::vector<Matrix> triangles_;
};

}  // namespace

RidgeSpectrum spectrum_of_kernel(Matrix centred_kernel, core::Workers& workers) {
    const Eigen::Index n = centred_kernel.rows();
    const Vector trace = centred_kernel.diagonal();
    if (centred_kernel.hasNaN()) throw std::runtime_error("ridge: the kernel holds NaN");
    RidgeSpectrum spectrum{RidgeSpectrum::Form::whole, {}, {}, {}, 0, {}};
    spectrum.constant = sum(as_span(trace)) / static_cast<double>(n);
    centred_kernel.array() += spectrum.constant / static_cast<double>(n);
    TridiagonalForm form = tridiagonal_form(centred_kernel, workers);
    spectrum.basis = Reflectors(centred_kernel, form.scales, workers).product(workers);
    spectrum.diagonal = std::move(form.diagonal);
    spectrum.off_diagonal = std::move(form.off_diagonal);
    return spectrum;
}

RidgeSpectrum spectrum_of_features(const Matrix& centred_features) {
    auto [u, singular, vt] = thin_svd(centred_features);
    vt = singular.asDiagonal() * vt;
    const auto rank = singular.size();
    return {RidgeSpectrum::Form::thin,
            std::move(u),
            singular.cwiseProduct(singular),
            Vector::Zero(std::max<Eigen::Index>(rank - 1, 0)),
            0,
            std::move(vt)};
}

TridiagonalFactor factorise(const RidgeSpectrum& spectrum, double alpha) {
    const Eigen::Index r = spectrum.diagonal.size();
    TridiagonalFactor factor{Vector(spectrum.off_diagonal.size()), Vector(r)};
    for (Eigen::Index k = 0; k < r; ++k) {
        double d = spectrum.diagonal(k) + alpha;
        if (k > 0) d -= factor.below(k - 1) * spectrum.off_diagonal(k - 1);
        factor.inverse_d(k) = 1 / d;
        if (k + 1 < r) factor.below(k) = spectrum.off_diagonal(k) / d;
    }
    return factor;
}

void solve_rows(const TridiagonalFactor& factor, Matrix& rows) {
    const Eigen::Index r = rows.cols();
    for (Eigen::Index k = 1; k < r; ++k) rows.col(k) -= factor.below(k - 1) * rows.col(k - 1);
    for (Eigen::Index k = r; k-- > 0;) {
        rows.col(k) *= factor.inverse_d(k);
        if (k + 1 < r) rows.col(k) -= factor.below(k) * rows.col(k + 1);
    }
}

Matrix solve_in_span(const RidgeSpectrum& spectrum, double alpha, const Matrix& b,
                     core::Workers& workers) {
    const auto factor = factorise(spectrum, alpha);
    Matrix solution(b.rows(), b.cols());
    for_blocks(b.cols(), solved_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        Matrix rows = multiply_transposed(b.middleCols(first, count), spectrum.basis);
        solve_rows(factor, rows);
        solution.middleCols(first, count) = multiply(spectrum.basis, rows.transpose());
    });
    return solution;
}

Matrix solve_from_basis(const RidgeSpectrum& spectrum, double alpha, const Matrix& c,
                        core::Workers& workers) {
    const auto factor = factorise(spectrum, alpha);
    Matrix solution(spectrum.basis.rows(), c.cols());
    for_blocks(c.cols(), solved_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        Matrix rows = c.middleCols(first, count).transpose();
        solve_rows(factor, rows);
        solution.middleCols(first, count) = multiply(spectrum.basis, rows.transpose());
    });
    return solution;
}

Matrix solve_to_basis(const RidgeSpectrum& spectrum, double alpha, const Matrix& b,
                      core::Workers& workers) {
    const auto factor = factorise(spectrum, alpha);
    Matrix solution(spectrum.basis.cols(), b.cols());
    for_blocks(b.cols(), solved_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        Matrix rows = multiply_transposed(b.middleCols(first, count), spectrum.basis);
        solve_rows(factor, rows);
        solution.middleCols(first, count) = rows.transpose();
    });
    return solution;
}

}  // namespace ventral::stats
