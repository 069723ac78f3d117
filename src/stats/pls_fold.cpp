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

void subtract(Eigen::Ref<Vector> from, double factor, const Eigen::Ref<const Vector>& v) {
    from.array() -= factor * v.array();
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
    parts.reserve(train.size());
    for (const auto i : train) parts.push_back(kernel(i, i));
    return sum(parts);
}

Matrix columns_of_kernel(const MatrixView& kernel, const std::vector<Eigen::Index>& chosen) {
    Matrix part(kernel.rows(), static_cast<Eigen::Index>(chosen.size()));
    for (std::size_t j = 0; j < chosen.size(); ++j)
        part.col(static_cast<Eigen::Index>(j)) = kernel.col(chosen[j]);
    return part;
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

    train_sums_ = Vector::Zero(n);
    for (const auto i : fold.train) train_sums_ += kernel.col(i);
    kernel_trace_ = centred_trace(kernel, fold.train, train_sums_);
    const double noise = eps * static_cast<double>(n) * plain_trace(kernel, fold.train);
    if (!(kernel_trace_ > noise))
        throw core::InputError("pls: the features are constant over the train rows of a fold");

    v_ = kernel_times_targets(kernel, centred, kernel_targets, means);
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

/// K y_, y_ being `centred` minus `means` on the train rows and zero elsewhere: K · centred is
/// known, so only the rows that the fold leaves out are multiplied again if they are the fewer.
Matrix PlsIteration::kernel_times_targets(const MatrixView& kernel, const Matrix& centred,
                                          const Matrix& kernel_targets, const Vector& means) const {
    const auto is_train = membership(fold_.train, kernel.rows());
    std::vector<Eigen::Index> used;
    std::vector<Eigen::Index> left_out;
    for (Eigen::Index i = 0; i < kernel.rows(); ++i)
        (is_train[static_cast<std::size_t>(i)] ? used : left_out).push_back(i);
    if (used.size() <= left_out.size())
        return multiply(columns_of_kernel(kernel, used), rows_of(y_, used));
    Matrix v =
        kernel_targets - multiply(columns_of_kernel(kernel, left_out), rows_of(centred, left_out));
    for (Eigen::Index j = 0; j < v.cols(); ++j) v.col(j) -= means(j) * train_sums_;
    return v;
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
    Vector none = Vector::Zero(y_.rows());
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

/// All that deflation does to Y and V, a few columns at a time while they are in the cache: notes
/// Y b and Yᵀt / tᵀt, updates both, and returns Yᵀr of Y before its update.
Vector PlsIteration::deflate_columns(const Vector& r, double square) {
    constexpr Eigen::Index few = 4;
    Matrix scores(y_.rows(), 2);
    scores << t_, r;
    Vector weights = Vector::Zero(y_.rows());
    Matrix products(y_.cols(), 2);  // of Y with t and r
    Matrix along(y_.cols(), 1);     // of the new V with t
    for (Eigen::Index first = 0; first < y_.cols(); first += few) {
        const Eigen::Index count = std::min(few, y_.cols() - first);
        dot_columns(y_, scores, first, count, products);
        for (Eigen::Index j = first; j < first + count; ++j) {
            subtract(weights, -b_(j), y_.col(j));
            subtract(y_.col(j), products(j, 0) / square, t_);
            subtract(v_.col(j), products(j, 0) / square, r);
        }
        dot_columns(v_, t_, first, count, along);
        for (Eigen::Index j = first; j < first + count; ++j)
            subtract(v_.col(j), along(j, 0) / square, t_);
    }
    weights_.push_back(weights);
    target_loadings_.emplace_back(products.col(0) / square);
    return products.col(1);
}

void PlsIteration::deflate(const Vector& kernel_scores) {
    if (!active_) return;
    const double square = dot(t_, t_);
    Vector kt = kernel_scores;
    centre_on_train(kt);
    kernel_scores_.push_back(kt);
    Vector r = Vector::Zero(kt.size());
    for (const auto i : fold_.train) r(i) = kt(i);
    for (std::size_t k = 0; k < scores_.size(); ++k)
        subtract(r, dot(scores_[k], r) / score_squares_[k], scores_[k]);

    const Vector target_kernel_scores = deflate_columns(r, square);
    downdate_gram(target_kernel_scores, dot(t_, r));
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
        // K D in the test rows, minus its means over the train rows.
        Matrix kd = multiply_transposed(columns_of_kernel(problem.kernel, fold_.test), d);
        for (Eigen::Index k = 0; k < components; ++k)
            kd.col(k).array() -= stats::dot(as_span(train_sums_), column(d, k)) /
                                 static_cast<double>(fold_.train.size());
        const double cutoff = static_cast<double>(components) * eps;
        const Matrix rotated = multiply(kd, pseudo_inverse(loadings_weights, cutoff));
        fit.prediction = multiply(rotated, q.transpose());
    }
    for (Eigen::Index j = 0; j < y_.cols(); ++j) fit.prediction.col(j).array() += target_means_(j);
    return fit;
}

}  // namespace ventral::stats
