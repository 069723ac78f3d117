#include "stats/regression/leave_one_out.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <cblas.h>
#include <lapacke.h>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/lapack_workspace.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index row_block = 384;    // rows of residuals that one task computes
constexpr Eigen::Index target_block = 64;  // targets that one task solves for
constexpr Eigen::Index kernel_tile = 256;
constexpr std::size_t neighbours = LeaveOneOut::neighbours;

/// Lower triangle of a aᵀ.
Matrix lower_gram(const Matrix& a, core::Workers& workers) {
    const auto blocks = even_blocks(a.rows(), kernel_tile);
    Matrix gram(a.rows(), a.rows());
    workers.parallel_for(blocks.size() * blocks.size(), [&](std::size_t t) {
        const auto& row = blocks[t / blocks.size()];
        const auto& col = blocks[t % blocks.size()];
        if (row.first < col.first) return;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_size(row.count),
                    blas_size(col.count), blas_size(a.cols()), 1.0, a.data() + row.first,
                    blas_size(a.rows()), a.data() + col.first, blas_size(a.rows()), 0.0,
                    gram.col(col.first).data() + row.first, blas_size(a.rows()));
    });
    return gram;
}

/// F with F Fᵀ = Y Yᵀ and no more columns than rows, by pivoted Cholesky: all that sums of squares
/// over targets depend on.
Matrix square_root_of_gram(const Matrix& targets, core::Workers& workers) {
    const Eigen::Index n = targets.rows();
    Matrix gram = lower_gram(targets, workers);
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int rank = 0;
    with_workspace(LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', blas_size(n), gram.data(), blas_size(n),
                                  pivots.data(), &rank, -1.0));
    Matrix root = Matrix::Zero(n, std::max(rank, 1));
    for (Eigen::Index j = 0; j < rank; ++j)
        for (Eigen::Index i = j; i < n; ++i)
            root(pivots[static_cast<std::size_t>(i)] - 1, j) = gram(i, j);
    return root;
}

/// Lagrange's weights at alpha, times (a / alpha)²: Σ weight / (v + a) is close to 1 / (v + alpha).
struct Interpolation {
    std::array<double, neighbours> weight;
    double relative_error;  ///< the largest over v ≥ 0
};

Interpolation interpolate(const std::array<double, neighbours>& at, double alpha) {
    Interpolation result{};
    double product = 1;
    for (std::size_t a = 0; a < neighbours; ++a) {
        double weight = (at[a] / alpha) * (at[a] / alpha);
        for (std::size_t b = 0; b < neighbours; ++b)
            if (b != a) weight *= (at[b] - alpha) / (at[b] - at[a]);
        result.weight[a] = weight;
        product *= std::abs(at[a] - alpha);
    }
    // v / ((v + a) (v + b)) is largest at √(a b), with 1 / (√a + √b)².
    const double outer = std::sqrt(at[0]) + std::sqrt(at[3]);
    const double inner = std::sqrt(at[1]) + std::sqrt(at[2]);
    result.relative_error = product / (alpha * alpha) / (outer * outer) / (inner * inner);
    return result;
}

}  // namespace

LeaveOneOut::LeaveOneOut(const RidgeSpectrum& spectrum, const Matrix& targets,
                         std::vector<double> alphas, core::Workers& workers)
    : spectrum_(spectrum),
      alphas_(std::move(alphas)),
      workers_(workers),
      residual_count_(static_cast<double>(targets.size())) {
    factors_.resize(alphas_.size());
    workers.parallel_for(alphas_.size(), [&](std::size_t a) {
        factors_[a] = factorise_band(spectrum.band, alphas_[a]);
    });
    if (targets.cols() > targets.rows())
        project(square_root_of_gram(targets, workers));
    else
        project(targets);
    compute_diagonals();
}

void LeaveOneOut::project(const Matrix& targets) {
    const bool thin = spectrum_.form == RidgeSpectrum::Form::thin;
    projected_.resize(targets.cols(), spectrum_.basis.cols());
    for_blocks(projected_.cols(), row_block, workers_, [&](const Block& block) {
        const auto [first, count] = block;
        projected_.middleCols(first, count) =
            multiply_transposed(targets, spectrum_.basis.middleCols(first, count));
    });
    if (!thin) return;
    outside_ = targets.transpose();
    outside_ -= multiply(projected_, spectrum_.basis.transpose());
}

/// What G_ii has beside the quadratic form in T; `squares` is the row of Q times itself.
double LeaveOneOut::diagonal_rest(double alpha, double squares) const {
    const auto n = static_cast<double>(rows());
    if (spectrum_.form == RidgeSpectrum::Form::whole)
        return -1 / (n * (spectrum_.constant + alpha));
    return (1 - 1 / n - squares) / alpha;
}

void LeaveOneOut::compute_diagonals() {
    diagonals_.resize(rows(), static_cast<Eigen::Index>(alphas_.size()));
    const auto count = static_cast<std::size_t>(core::ceil_divide(rows(), band_lanes));
    workers_.parallel_for(count, [&](std::size_t block) {
        const Eigen::Index first = static_cast<Eigen::Index>(block) * band_lanes;
        const Matrix q = spectrum_.basis.middleRows(first, std::min(band_lanes, rows() - first));
        Vector squares = Vector::Zero(q.rows());
        for (Eigen::Index k = 0; k < q.cols(); ++k) squares.array() += q.col(k).array().square();
        for (std::size_t a = 0; a < alphas_.size(); ++a) {
            const Vector forms = quadratic_forms(factors_[a], q);
            for (Eigen::Index i = 0; i < q.rows(); ++i)
                diagonals_(first + i, static_cast<Eigen::Index>(a)) =
                    forms(i) + diagonal_rest(alphas_[a], squares(i));
        }
    });
}

/// (G Y)ᵀ, m × n.
Matrix LeaveOneOut::residuals(std::size_t alpha) const {
    const Eigen::Index m = projected_.rows();
    Matrix solved(m, projected_.cols());
    for_blocks(m, target_block, workers_, [&](const Block& block) {
        const auto [first, count] = block;
        Matrix part = projected_.middleRows(first, count);
        solve_rows(factors_[alpha], part);
        solved.middleRows(first, count) = part;
    });
    Matrix result(m, rows());
    for_blocks(rows(), row_block, workers_, [&](const Block& block) {
        const auto [first, count] = block;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_size(m), blas_size(count),
                    blas_size(solved.cols()), 1.0, solved.data(), blas_size(m),
                    spectrum_.basis.data() + first, blas_size(rows()), 0.0,
                    result.col(first).data(), blas_size(m));
        if (outside_.size() > 0)
            result.middleCols(first, count) += outside_.middleCols(first, count) / alphas_[alpha];
    });
    return result;
}

LeaveOneOut::Sweep LeaveOneOut::sweep(const std::vector<std::size_t>& chosen) const {
    Sweep sweep{chosen, {}, {}};
    for (auto& products : sweep.products)
        products = Matrix::Zero(rows(), static_cast<Eigen::Index>(chosen.size()));
    std::array<Matrix, neighbours> recent;  // that of alpha k in k modulo their number
    const auto blocks = even_blocks(rows(), row_block);
    Vector terms(rows());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        recent[k % neighbours] = residuals(chosen[k]);
        const auto at = static_cast<Eigen::Index>(k);
        const auto diagonal = diagonals_.col(static_cast<Eigen::Index>(chosen[k]));
        workers_.parallel_for(blocks.size(), [&](std::size_t b) {
            const auto [first, count] = blocks[b];
            for (Eigen::Index i = first; i < first + count; ++i) {
                for (std::size_t lag = 0; lag < neighbours && lag <= k; ++lag)
                    sweep.products[lag](i, at) = dot(column(recent[k % neighbours], i),
                                                     column(recent[(k - lag) % neighbours], i));
                terms(i) = sweep.products[0](i, at) / (diagonal(i) * diagonal(i));
            }
        });
        sweep.errors.push_back(sum(as_span(terms)) / residual_count_);
    }
    return sweep;
}

void LeaveOneOut::compute_norms() {
    const auto targets = even_blocks(projected_.rows(), target_block);
    Matrix squares(static_cast<Eigen::Index>(targets.size()),
                   static_cast<Eigen::Index>(alphas_.size()));
    workers_.parallel_for(targets.size(), [&](std::size_t b) {
        const auto [first, count] = targets[b];
        for (std::size_t a = 0; a < alphas_.size(); ++a) {
            Matrix part = projected_.middleRows(first, count);
            solve_rows(factors_[a], part);
            const std::span<const double> entries(part.data(),
                                                  static_cast<std::size_t>(part.size()));
            squares(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) =
                dot(entries, entries);
        }
    });
    const std::span<const double> outside(outside_.data(),
                                          static_cast<std::size_t>(outside_.size()));
    const double rest = dot(outside, outside);
    norms_.resize(squares.cols());
    for (Eigen::Index a = 0; a < norms_.size(); ++a) {
        const double alpha = alphas_[static_cast<std::size_t>(a)];
        norms_(a) = sum(column(squares, a)) + rest / (alpha * alpha);
    }
}

double LeaveOneOut::estimate(std::size_t alpha) const {
    const auto a = static_cast<Eigen::Index>(alpha);
    const Vector weights = diagonals_.col(a).array().square().inverse();
    return sum(as_span(weights)) / static_cast<double>(rows()) * norms_(a) / residual_count_;
}

double LeaveOneOut::least_error(const Sweep& sweep, std::size_t alpha) const {
    // Four of the sweep's alphas around this one.
    const auto above = std::upper_bound(sweep.alphas.begin(), sweep.alphas.end(), alpha);
    auto first = static_cast<std::size_t>(above - sweep.alphas.begin());
    first = std::min(first < 2 ? 0 : first - 2, sweep.alphas.size() - neighbours);
    std::array<double, neighbours> at;
    for (std::size_t a = 0; a < neighbours; ++a) at[a] = alphas_[sweep.alphas[first + a]];
    const auto [weight, relative_error] = interpolate(at, alphas_[alpha]);

    const auto a = static_cast<Eigen::Index>(alpha);
    const Eigen::ArrayXd weights = diagonals_.col(a).array().square().inverse();
    const double middle = (weights.maxCoeff() + weights.minCoeff()) / 2;
    const double spread = (weights.maxCoeff() - weights.minCoeff()) / 2;
    Eigen::ArrayXd rows_squared = Eigen::ArrayXd::Zero(rows());
    for (std::size_t i = 0; i < neighbours; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const double both = (i == j ? 1 : 2) * weight[i] * weight[j];
            const auto& products = sweep.products[i - j];
            rows_squared += both * products.col(static_cast<Eigen::Index>(first + i)).array();
        }
    // Σ w_i |c_i|² = middle |C|² + Σ (w_i − middle) |c_i|²: only the second part is interpolated.
    const Vector terms = (weights - middle) * rows_squared;
    const double norm = std::sqrt(norms_(a));
    const double off = relative_error * norm;
    const double squares =
        middle * norms_(a) + sum(as_span(terms)) - spread * off * (2 * norm + off);
    constexpr double rounding = 1e-9;
    return (squares - rounding * weights.maxCoeff() * norms_(a)) / residual_count_;
}

}  // namespace ventral::stats
