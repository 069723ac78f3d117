#include "stats/pls/pls_fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/errors.hpp"
#include "stats/folds/alike_rows.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

/// Once deflation has taken this part of the trace of G, the rest is formed anew from Y and V.
constexpr double refresh_below = 1e-3;
/// A target of which more than this part is left is not near zero; the differences of squares that
/// say so are good to about 1e-14.
constexpr double surely_left = 1e-10;

void subtract(Eigen::Ref<Vector> from, double factor, const Eigen::Ref<const Vector>& v) {
    from.array() -= factor * v.array();
}

/// True if the rows have the same features, and so the same products with each other.
bool are_equal(const Kernel& kernel, const std::vector<Eigen::Index>& rows) {
    if (!kernel.is_held())
        return std::all_of(rows.begin(), rows.end(), [&](Eigen::Index row) {
            return are_equal_rows(kernel, rows.front(), row);
        });
    const auto& entries = kernel.entries();
    const double first = entries(rows[0], rows[0]);
    return std::all_of(rows.begin(), rows.end(), [&](Eigen::Index i) {
        return std::all_of(rows.begin(), rows.end(),
                           [&](Eigen::Index j) { return entries(i, j) == first; });
    });
}

}  // namespace

PlsIteration::PlsIteration(const PlsProblem& shared, const FoldRows& fold)
    : PlsIteration(shared, fold, start_of_fold(shared, fold)) {}

PlsIteration::PlsIteration(const PlsProblem& shared, const FoldRows& fold, PlsFoldStart start)
    : shared_(shared),
      fold_(fold),
      targets_(std::move(start.targets)),
      train_(std::move(start.train)),
      means_(std::move(start.means)),
      is_dwarfed_(start.is_dwarfed),
      whole_(std::move(start.squares)),
      left_(whole_),
      g_(std::move(start.gram)),
      gram_trace_at_refresh_(g_.trace()),
      whole_gram_trace_(gram_trace_at_refresh_),
      kernel_trace_(sum(as_span(entries_of(shared.kernel_diagonal, fold.train)))),
      power_(g_),
      finished_(is_dwarfed_) {
    check_features(start.kernel_sum);
}

/// Ends the iteration before its first component where the features are constant over the train
/// rows, or K has no digit of them; throws if the reference would look at such features.
void PlsIteration::check_features(double kernel_sum) {
    const auto& kernel = shared_.problem.kernel;
    // Of K centred on the train rows: Σ k_ii − Σ_ij k_ij / n_train.
    const double centred = kernel_trace_ - kernel_sum / static_cast<double>(fold_.train.size());
    if (centred > eps * static_cast<double>(kernel.rows()) * kernel_trace_) return;
    if (!are_equal(kernel, fold_.train)) {
        // A row that is not trained on dwarfs the others, so that K has no digit of them.
        fit_.guard = std::numeric_limits<double>::infinity();
    } else if (targets_.find_start(train_scores_)) {
        throw core::InputError(constant_features);
    }
    finished_ = true;
}

/// Some entry of what is left of a target is 10 eps or more. Known only in the form of columns.
bool PlsIteration::surely_alive(Eigen::Index target) const {
    const auto j = static_cast<std::size_t>(target);
    const double surely = 4 * static_cast<double>(fold_.train.size()) * pls_vanished * pls_vanished;
    return left_[j] > std::max(surely, surely_left * whole_[j]);
}

/// The reference's start; its column only where the first pass needs it.
std::optional<PlsTargets::Start> PlsIteration::find_start() {
    if (shared_.form == PlsTargetForm::rows) return targets_.find_start(train_scores_);
    const auto target =
        targets_.find_target(train_scores_, [&](Eigen::Index j) { return surely_alive(j); });
    if (!target) return std::nullopt;
    return Start{*target, Vector()};
}

/// Only in the form of columns: G of the form of rows holds the targets together, where columns of
/// this size are below its rounding.
void PlsIteration::clear_vanished_targets() {
    for (std::size_t j = 0; j < left_.size(); ++j) {
        const auto target = static_cast<Eigen::Index>(j);
        if (surely_alive(target)) continue;
        if (g_(target, target) == 0) continue;
        if (!targets_.vanished(target)) {
            if (!has_vanished(as_span(targets_.deflated(target, train_scores_)))) continue;
            targets_.clear(target, scores_.size());
        }
        g_.clear_row_and_column(target);
    }
}

/// uᵀu of the start column u.
double PlsIteration::start_square(const Start& start) const {
    if (start.column.size() > 0) return dot(start.column, start.column);
    if (surely_alive(start.target)) return left_[static_cast<std::size_t>(start.target)];
    const Vector u = targets_.deflated(start.target, train_scores_);
    return dot(u, u);
}

/// From the start column u to g = Yᵀ X w of the first weight w: the reference adds eps to the norm
/// of Xᵀu / uᵀu, which is as small as features are beside targets.
bool PlsIteration::first_pass(const Start& start) {
    const double beside_norm = eps * start_square(start);
    if (shared_.form == PlsTargetForm::columns)
        return power_.start_with_target(g_, start.target, beside_norm);
    Vector u = Vector::Zero(shared_.targets.rows());
    for (std::size_t i = 0; i < fold_.train.size(); ++i)
        u(fold_.train[i]) = start.column(static_cast<Eigen::Index>(i));
    Vector t = deflated_kernel_times(shared_.problem.kernel.times(u));
    const double square = dot(u, t);
    if (!(square > 0) || !std::isfinite(square)) return false;
    const double norm = std::sqrt(square);
    t /= norm + beside_norm;
    const double part = norm / (norm + beside_norm);
    // u = Y b has a solution b, which the next pass does not need.
    power_.start_with_product(transposed_times(shared_.targets, t), part * part);
    return true;
}

bool PlsIteration::power_iteration(const Start& start) {
    if (!first_pass(start)) return false;
    fit_.passes.back() = 1;
    return targets_.means().size() == 1 || power_.converge(g_, fit_);
}

/// (deflated X)(deflated X)ᵀ d from `product`, which is K d, d being deflated. Twice, as the first
/// time cancels digits.
Vector PlsIteration::deflated_kernel_times(Vector product) const {
    train_.centre(product);
    train_.keep(product);
    scores_.project_out(product);
    scores_.project_out(product);
    return product;
}

Vector PlsIteration::next_weights() {
    active_ = false;
    Vector none = Vector::Zero(g_.size());
    finished_ = finished_ || scores_.size() >= most_components(fold_);
    if (finished_) return none;
    clear_vanished_targets();
    const auto start = find_start();
    if (!start) {
        finished_ = true;
        return none;
    }
    fit_.passes.push_back(0);
    active_ = power_iteration(*start);
    b_ = power_.b();
    if (active_) return b_;
    break_down();
    return none;
}

void PlsIteration::break_down() {
    fit_.passes.pop_back();
    fit_.guard = std::numeric_limits<double>::infinity();
    finished_ = true;
    active_ = false;
}

Vector PlsIteration::direction(const Eigen::Ref<const Vector>& weighted_targets) {
    if (!active_) return Vector::Zero(weighted_targets.size());
    Vector d = weighted_targets;
    d.array() -= dot(means_, b_);
    train_.keep(d);
    for (std::size_t k = 0; k < scores_.size(); ++k)
        subtract(d, dot(target_loadings_[k], b_), scores_.vectors[k]);
    return d;
}

Vector PlsIteration::scores(Vector kernel_direction) {
    if (active_) {
        train_.centre(kernel_direction);
        t_ = deflated_kernel_times(kernel_direction);
        const double square = dot(t_, t_);
        if (!(square > 0) || !std::isfinite(square)) break_down();
    }
    if (!active_) return Vector::Zero(kernel_direction.size());
    kernel_directions_.push_back(std::move(kernel_direction));
    return t_;
}

Vector PlsIteration::residual(Vector kernel_scores) {
    if (!active_) return Vector::Zero(kernel_scores.size());
    residuals_.push_back(deflated_kernel_times(std::move(kernel_scores)));
    return residuals_.back();
}

void PlsIteration::take_out(const Eigen::Ref<const Vector>& target_scores,
                            const Eigen::Ref<const Vector>& target_residuals) {
    if (!active_) return;
    const double square = dot(t_, t_);
    Vector s = target_scores;
    Vector products = target_residuals;
    for (std::size_t j = 0; j < left_.size(); ++j) {
        const auto target = static_cast<Eigen::Index>(j);
        if (targets_.vanished(target)) s(target) = products(target) = 0;
        left_[j] -= s(target) * s(target) / square;
    }
    s /= square;
    g_.update(s, products, dot(t_, residuals_.back()));

    scores_.vectors.push_back(t_);
    scores_.squares.push_back(square);
    train_scores_.vectors.push_back(entries_of(t_, fold_.train));
    train_scores_.squares.push_back(square);
    target_loadings_.push_back(std::move(s));
    // |Xᵀ Y| over what is left of it along b, which is of length 1 / |b|.
    const double fading = std::sqrt(whole_gram_trace_ * dot(b_, b_));
    fit_.guard = std::max({fit_.guard, eps * kernel_trace_ / square, eps * fading});
    if (g_.trace() < refresh_below * gram_trace_at_refresh_) refresh();
}

/// The columns of V sum to zero and are zero outside the train rows: Y need not be centred.
void PlsIteration::form_gram() {
    for (const auto& [first, count] : even_blocks(v_.cols(), pls_gram_block))
        g_.set_columns(first, multiply_transposed(shared_.targets.rightCols(v_.cols() - first),
                                                  v_.middleCols(first, count)));
}

/// Deflates V itself and forms G from it: what is left has lost digits as a difference.
void PlsIteration::refresh() {
    if (v_.size() == 0) v_ = kernel_times_fold_targets(shared_, train_, means_);
    const Matrix t = side_by_side(scores_.vectors, 0, v_.rows());
    v_ -= multiply(side_by_side(residuals_, folded_in_, v_.rows()),
                   side_by_side(target_loadings_, folded_in_, v_.cols()).transpose());
    Matrix along = multiply_transposed(t, v_);
    for (Eigen::Index k = 0; k < along.rows(); ++k)
        along.row(k) /= scores_.squares[static_cast<std::size_t>(k)];
    v_ -= multiply(t, along);
    folded_in_ = scores_.size();
    form_gram();
    gram_trace_at_refresh_ = g_.trace();
}

/// PᵀW: entry (k, j) is t_kᵀ K d_j / t_kᵀ t_k.
Matrix PlsIteration::inner_product() const {
    const auto components = static_cast<Eigen::Index>(scores_.size());
    Matrix inner(components, components);
    for (Eigen::Index k = 0; k < components; ++k)
        for (Eigen::Index j = 0; j < components; ++j)
            inner(k, j) = dot(scores_.vectors[static_cast<std::size_t>(k)],
                              kernel_directions_[static_cast<std::size_t>(j)]) /
                          scores_.squares[static_cast<std::size_t>(k)];
    return inner;
}

PlsFold PlsIteration::predict() const {
    PlsFold fit = fit_;
    fit.prediction =
        Matrix::Zero(static_cast<Eigen::Index>(fold_.test.size()), shared_.problem.targets.cols());
    if (scores_.size() > 0) {
        // K D in the test rows, minus its means over the train rows.
        Matrix kd(fit.prediction.rows(), static_cast<Eigen::Index>(scores_.size()));
        for (Eigen::Index k = 0; k < kd.cols(); ++k)
            kd.col(k) = entries_of(kernel_directions_[static_cast<std::size_t>(k)], fold_.test);
        // The reference's matrix has rows and columns of zeros for components that are missing.
        const double cutoff = static_cast<double>(shared_.n_components) * eps;
        const Matrix rotated = multiply(kd, pseudo_inverse(inner_product(), cutoff));
        const Matrix loadings = shared_.form == PlsTargetForm::columns
                                    ? side_by_side(target_loadings_, 0, g_.size())
                                    : targets_.loadings(train_scores_);
        fit.prediction = multiply(rotated, loadings.transpose());
    }
    for (Eigen::Index j = 0; j < fit.prediction.cols(); ++j)
        fit.prediction.col(j).array() += targets_.means()(j);
    return fit;
}

}  // namespace ventral::stats
