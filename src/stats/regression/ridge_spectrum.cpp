#include "stats/regression/ridge_spectrum.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include <cblas.h>
#include <lapacke.h>

#include "stats/linear_algebra/band_factor.hpp"
#include "stats/linear_algebra/band_form.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel = 64;          // reflectors that are applied together
constexpr Eigen::Index column_block = 128;  // columns that one task works on
constexpr Eigen::Index solved_block = 96;   // right-hand sides that one task works on

/// The product of Householder's reflectors as `band_form` leaves them: without the first rows they
/// are stored as a QR factorisation's are.
class Reflectors {
public:
    Reflectors(const Matrix& stored, const Vector& scales, core::Workers& workers)
        : stored_(stored), panels_(even_blocks(scales.size(), panel)) {
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
        if (panels_.empty()) return q;
        for_blocks(n - band_width, column_block, workers,
                   [&](const Block& block) { apply(block, q); });
        return q;
    }

private:
    Eigen::Index rows_below(Eigen::Index first) const {
        return stored_.rows() - band_width - first;
    }
    const double* at(Eigen::Index first) const { return &stored_(first + band_width, first); }

    /// Some columns of the product, from the unit matrix's. A panel that begins below the last of
    /// them leaves them as they are.
    void apply(const Block& columns, Matrix& q) const {
        const auto count = blas_size(columns.count);
        Matrix work(columns.count, panel);
        for (std::size_t p = panels_.size(); p-- > 0;) {
            const auto [first, width] = panels_[p];
            if (first >= columns.first + columns.count) continue;
            const auto leading = blas_size(stored_.rows());
            LAPACKE_dlarfb_work(
                LAPACK_COL_MAJOR, 'L', 'N', 'F', 'C', blas_size(rows_below(first)), count,
                blas_size(width), at(first), leading, triangles_[p].data(), blas_size(width),
                &q(first + band_width, columns.first + band_width), leading, work.data(), count);
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
    RidgeSpectrum spectrum{RidgeSpectrum::Form::whole, {}, {}, 0, {}};
    spectrum.constant = sum(as_span(trace)) / static_cast<double>(n);
    centred_kernel.array() += spectrum.constant / static_cast<double>(n);
    BandForm form = band_form(centred_kernel, workers);
    spectrum.basis = Reflectors(centred_kernel, form.scales, workers).product(workers);
    spectrum.band = std::move(form.band);
    return spectrum;
}

RidgeSpectrum spectrum_of_features(const Matrix& centred_features) {
    auto [u, singular, vt] = thin_svd(centred_features);
    vt = singular.asDiagonal() * vt;
    return {RidgeSpectrum::Form::thin, std::move(u), singular.cwiseProduct(singular).transpose(), 0,
            std::move(vt)};
}

Matrix solve_in_span(const RidgeSpectrum& spectrum, double alpha, const Matrix& b,
                     core::Workers& workers) {
    const auto factor = factorise_band(spectrum.band, alpha);
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
    const auto factor = factorise_band(spectrum.band, alpha);
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
    const auto factor = factorise_band(spectrum.band, alpha);
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
