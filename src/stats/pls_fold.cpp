#include "stats/pls_fold.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "stats/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr double eps = 0x1p-52;
/// Once deflation has taken this part of the trace of G, the rest is formed anew from Y and V.
constexpr double refresh_below = 1e-3;

std::vector<char> membership(const std::vector<Eigen::Index>& rows, Eigen::Index size) {
    std::vector<char> member(static_cast<std::size_t>(size), 0);
    for (const auto row : rows) member[static_cast<std::size_t>(row)] = 1;
    return member;
}

double dot(const Vector& a, const Vector& b) { return stats::dot(as_span(a), as_span(b)); }

void subtract(Vector& from, double factor, const Vector& v) {
    for (Eigen::Index i = 0; i < from.size(); ++i) from(i) -= factor * v(i);
}

/// Trace of K centred on the train rows: Σ k_ii − Σ_ij k_ij / n_train.
double centred_trace(const MatrixView& kernel, const std::vector<Eigen::Index>& train,
                     const Vector& train_sums) {
    std::vector<double> parts;
    parts.reserve(train.size());
    for (const auto i : train)
        parts.push_back(kernel(i, i) - train_sums(i) / static_cast<double>(train.size()));
    return sum(parts);
}

double plain_trace(const MatrixView& kernel, const std::vector<Eigen::Index>& train) {
    std::vector<double> parts;
    for (const auto i : train) parts.push_back(kernel(i, i));
    return sum(parts);
}

/// K Z where Z is `centred` minus `means` on the train rows and zero elsewhere: K · centred is
/// known, so only the rows that the fold leaves out are multiplied again if they are the fewer.
Matrix kernel_times_fold(const Problem& problem, const Matrix& z, const Matrix& centred,
                         const Matrix& kernel_targets, const std::vector<Eigen::Index>& train,
                         const Vector& train_sums, const Vector& means) {
    const auto& kernel = problem.kernel;
    const auto is_train = membership(train, kernel.rows());
    std::vector<Eigen::Index> used;
    std::vector<Eigen::Index> left_out;
    for (Eigen::Index i = 0; i < kernel.rows(); ++i)
        (is_train[static_cast<std::size_t>(i)] ? used : left_out).push_back(i);
    const auto columns = [&](const std::vector<Eigen::Index>& chosen) {
        Matrix part(kernel.rows(), static_cast<Eigen::Index>(chosen.size()));
        for (std::size_t j = 0; j < chosen.size(); ++j)
            part.col(static_cast<Eigen::Index>(j)) = kernel.col(chosen[j]);
        return part;
    };
    if (used.size() <= left_out.size()) return multiply(columns(used), rows_of(z, used));
    Matrix v = kernel_targets - multiply(columns(left_out), rows_of(centred, left_out));
    for (Eigen::Index j = 0; j < v.cols(); ++j) v.col(j) -= means(j) * train_sums;
    return v;
}

}  // namespace

PlsIteration::PlsIteration(const Problem& problem, const FoldRows& fold, const Matrix& centred,
                           const Matrix& kernel_targets)
    : fold_(fold) {
    const auto& kernel = problem.kernel;
    const Eigen::Index n = kernel.rows();
    target_means_ = column_means(problem.targets, fold.train);
    const Vector means = column_means(centred, fold.train);
    y_ = Matrix::Zero(n, centred.cols());
    for (Eigen::Index j = 0; j < y_.cols(); ++j)
        for (const auto i : fold.train) y_(i, j) = centred(i, j) - means(j);

    Vector train_sums = Vector::Zero(n);
    for (const auto i : fold.train) train_sums += kernel.col(i);
    kernel_trace_ = centred_trace(kernel, fold.train, train_sums);
    const double noise = eps * static_cast<double>(n) * plain_trace(kernel, fold.train);
    if (!(kernel_trace_ > noise))
        throw core::InputError("pls: the features are constant over the train rows of a fold");

    v_ = kernel_times_fold(problem, y_, centred, kernel_targets, fold.train, train_sums, means);
    const auto is_train = membership(fold.train, n);
    for (Eigen::Index j = 0; j < v_.cols(); ++j) {
        Vector column_j = v_.col(j);
        centre_on_train(column_j);
        for (Eigen::Index i = 0; i < n; ++i)
            v_(i, j) = is_train[static_cast<std::size_t>(i)] ? column_j(i) : 0.0;
    }
    g_ = multiply_transposed(y_, v_);
    gram_trace_at_refresh_ = g_.trace();
}

void PlsIteration::centre_on_train(Vector& v) const {
    std::vector<double> values;
    values.reserve(fold_.train.size());
    for (const auto i : fold_.train) values.push_back(v(i));
    v.array() -= sum(values) / static_cast<double>(values.size());
}

void PlsIteration::clear_vanished_targets() {
    for (Eigen::Index j = 0; j < y_.cols(); ++j) {
        const double* values = y_.col(j).data();
        const bool vanished = std::all_of(values, values + y_.rows(),
                                          [](double y) { return std::abs(y) < 10 * eps; });
        if (!vanished) continue;
        y_.col(j).setZero();
        v_.col(j).setZero();
        g_.col(j).setZero();
        g_.row(j).setZero();
    }
}

Eigen::Index PlsIteration::start_column() const {
    for (Eigen::Index j = 0; j < y_.cols(); ++j)
        for (const auto i : fold_.train)
            if (std::abs(y_(i, j)) > eps) return j;
    return -1;
}

bool PlsIteration::power_iteration(Eigen::Index start) {
    b_ = Vector::Zero(y_.cols());
    b_(start) = 1.0;
    Vector old_b;
    Vector old_g;
    for (std::size_t pass = 1; pass <= pls_max_passes; ++pass) {
        Vector g = transposed_times(g_, b_);  // G is symmetric
        const double square = dot(b_, g);
        if (!(square > 0) || !std::isfinite(square)) return false;
        const double s = std::sqrt(square) + eps;
        b_ /= s;
        g /= s;
        fit_.passes.back() = pass;
        if (y_.cols() == 1) return true;
        if (pass > 1) {
            const double change = dot(b_ - old_b, g - old_g);
            fit_.stop_margin =
                std::min(fit_.stop_margin, std::abs(change - pls_tolerance) / pls_tolerance);
            if (change < pls_tolerance) return true;
        }
        if (pass == pls_max_passes) return true;
        old_b = b_;
        old_g = g;
        const double largest = g.cwiseAbs().maxCoeff();
        if (!(largest > 0)) return false;
        b_ = g / largest;
    }
    return true;
}

Vector PlsIteration::next_component() {
    active_ = false;
    const Vector none = Vector::Zero(y_.rows());
    if (finished_) return none;
    clear_vanished_targets();
    const Eigen::Index start = start_column();
    if (start < 0) {
        finished_ = true;
        return none;
    }
    fit_.passes.push_back(0);
    const bool converged = power_iteration(start);
    if (converged) {
        t_ = times(v_, b_);
        for (std::size_t k = 0; k < scores_.size(); ++k)
            subtract(t_, dot(scores_[k], t_) / score_squares_[k], scores_[k]);
    }
    if (!converged || !(dot(t_, t_) > 0) || !std::isfinite(dot(t_, t_))) {
        fit_.passes.pop_back();
        fit_.guard = std::numeric_limits<double>::infinity();
        finished_ = true;
        return none;
    }
    active_ = true;
    return t_;
}

void PlsIteration::downdate_gram(const Vector& target_kernel_scores, double score_kernel_score) {
    const Vector& s = target_loadings_.back();
    const Vector& q = target_kernel_scores;
    for (Eigen::Index j = 0; j < g_.cols(); ++j)
        for (Eigen::Index i = 0; i < g_.rows(); ++i)
            g_(i, j) += score_kernel_score * s(i) * s(j) - (s(i) * q(j) + q(i) * s(j));
}

void PlsIteration::deflate(const Vector& kernel_scores) {
    if (!active_) return;
    const double square = dot(t_, t_);
    Vector kt = kernel_scores;
    centre_on_train(kt);
    kernel_scores_.push_back(kt);

    const auto is_train = membership(fold_.train, kt.size());
    Vector r = kt;
    for (Eigen::Index i = 0; i < r.size(); ++i)
        if (!is_train[static_cast<std::size_t>(i)]) r(i) = 0.0;
    for (std::size_t k = 0; k < scores_.size(); ++k)
        subtract(r, dot(scores_[k], r) / score_squares_[k], scores_[k]);

    weights_.push_back(times(y_, b_));
    Vector s = transposed_times(y_, t_) / square;
    target_loadings_.push_back(s);
    downdate_gram(transposed_times(y_, r), dot(t_, r));

    for (Eigen::Index j = 0; j < y_.cols(); ++j) {
        double* v = v_.col(j).data();
        double* y = y_.col(j).data();
        for (Eigen::Index i = 0; i < v_.rows(); ++i) v[i] -= r(i) * s(j);
        const double along = stats::dot(as_span(t_), column(v_, j)) / square;
        for (Eigen::Index i = 0; i < v_.rows(); ++i) v[i] -= along * t_(i);
        for (Eigen::Index i = 0; i < y_.rows(); ++i) y[i] -= t_(i) * s(j);
    }
    scores_.push_back(t_);
    score_squares_.push_back(square);
    fit_.guard = std::max(fit_.guard, eps * kernel_trace_ / square);
    if (g_.trace() < refresh_below * gram_trace_at_refresh_) {
        g_ = multiply_transposed(y_, v_);
        gram_trace_at_refresh_ = g_.trace();
    }
}

PlsFold PlsIteration::predict(const Problem& problem) const {
    PlsFold fit = fit_;
    const auto components = static_cast<Eigen::Index>(scores_.size());
    const auto tests = static_cast<Eigen::Index>(fold_.test.size());
    fit.prediction = Matrix::Zero(tests, y_.cols());
    if (components > 0) {
        Matrix d(y_.rows(), components);
        Matrix q(y_.cols(), components);
        for (Eigen::Index k = 0; k < components; ++k) {
            d.col(k) = weights_[static_cast<std::size_t>(k)];
            q.col(k) = target_loadings_[static_cast<std::size_t>(k)];
        }
        Matrix loadings_weights(components, components);  // PᵀW: t_kᵀ K d_j / t_kᵀ t_k
        for (Eigen::Index k = 0; k < components; ++k)
            for (Eigen::Index j = 0; j < components; ++j)
                loadings_weights(k, j) =
                    stats::dot(as_span(kernel_scores_[static_cast<std::size_t>(k)]), column(d, j)) /
                    score_squares_[static_cast<std::size_t>(k)];
        Matrix kd = multiply(problem.kernel, d);
        for (Eigen::Index k = 0; k < components; ++k) {
            Vector column_k = kd.col(k);
            centre_on_train(column_k);
            kd.col(k) = column_k;
        }
        const double cutoff = static_cast<double>(components) * eps;
        const Matrix rotated =
            multiply(rows_of(kd, fold_.test), pseudo_inverse(loadings_weights, cutoff));
        fit.prediction = multiply(rotated, q.transpose());
    }
    for (Eigen::Index j = 0; j < y_.cols(); ++j) fit.prediction.col(j).array() += target_means_(j);
    return fit;
}

}  // namespace ventral::stats
