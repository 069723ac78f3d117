#include "stats/pls_fold.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "stats/alike_rows.hpp"
#include "stats/blocks.hpp"
#include "stats/linear_algebra.hpp"

namespace ventral::stats {
namespace {

/// Once deflation has taken this part of the trace of G, the rest is formed anew from Y and V.
constexpr double refresh_below = 1e-3;
/// A target of which more than this part is left is not near zero; the differences of squares that
/// say so are good to about 1e-14.
constexpr double surely_left = 1e-10;
/// Where the train rows have less than this part of a sum of squares over all rows in use, the
/// others dwarf them.
constexpr double dwarfed_below = 0.01;
constexpr Eigen::Index gram_block = 64;  // columns of G, of which only the lower triangle is needed

std::vector<char> membership(const std::vector<Eigen::Index>& rows, Eigen::Index size) {
    std::vector<char> member(static_cast<std::size_t>(size), 0);
    for (const auto row : rows) member[static_cast<std::size_t>(row)] = 1;
    return member;
}

std::vector<Eigen::Index> rows_with(const std::vector<char>& is_train, bool wanted) {
    std::vector<Eigen::Index> rows;
    for (std::size_t i = 0; i < is_train.size(); ++i)
        if ((is_train[i] != 0) == wanted) rows.push_back(static_cast<Eigen::Index>(i));
    return rows;
}

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

Matrix with_column(const Matrix& matrix, const Vector& column) {
    Matrix wider(matrix.rows(), matrix.cols() + 1);
    wider << matrix, column;
    return wider;
}

}  // namespace

Matrix products_of_targets(const PlsProblem& shared, core::Workers& workers) {
    const Eigen::Index q = shared.targets.cols();
    Matrix products(q + 1, q + 1);
    const auto blocks = even_blocks(q, gram_block);
    workers.parallel_for(blocks.size(), [&](std::size_t i) {
        const auto& [first, count] = blocks[i];
        products.block(first, first, q - first, count) = multiply_transposed(
            shared.targets.rightCols(q - first), shared.kernel_targets.middleCols(first, count));
    });
    products.row(q).head(q) = transposed_times(shared.targets, shared.kernel_sums).transpose();
    products(q, q) = dot(shared.in_use, shared.kernel_sums);
    return products;
}

PlsIteration::PlsIteration(const PlsProblem& shared, const FoldRows& fold)
    : shared_(shared),
      fold_(fold),
      targets_(shared.problem.targets, fold),
      means_(shared.targets.cols()),
      is_train_(membership(fold.train, shared.targets.rows())),
      few_train_(2 * fold.train.size() <= is_train_.size()),
      fewer_rows_(rows_with(is_train_, few_train_)),
      g_(shared.targets.cols()),
      pass_{g_.make_vector(), g_.make_vector()},
      last_pass_(pass_) {
    find_moments();
    form_first_gram();
    is_dwarfed_ = has_dwarfed_targets();
    finished_ = is_dwarfed_;
    const auto& kernel = shared.problem.kernel;
    const double plain_trace = sum(as_span(entries_of(shared.kernel_diagonal, fold.train)));
    const auto size = static_cast<double>(fold.train.size());
    // Of K centred on the train rows: Σ k_ii − Σ_ij k_ij / n_train.
    const double centred = plain_trace - kernel_sum_ / size;
    kernel_trace_ = plain_trace;
    if (!(centred > pls_eps * static_cast<double>(kernel.rows()) * plain_trace)) {
        if (!are_equal(kernel, fold.train)) {
            // A row that is not trained on dwarfs the others, so that K has no digit of them.
            fit_.guard = std::numeric_limits<double>::infinity();
        } else if (targets_.find_start(train_scores_)) {
            throw core::InputError(constant_features);
        }
        finished_ = true;
    }
    gram_trace_at_refresh_ = g_.trace();
    whole_gram_trace_ = gram_trace_at_refresh_;
}

/// The means of the shared targets over the train rows, and in the form of columns what each has
/// beside its mean.
void PlsIteration::find_moments() {
    for (Eigen::Index j = 0; j < means_.size(); ++j) {
        Vector y = entries_of(shared_.targets.col(j), fold_.train);
        means_(j) = sum(as_span(y)) / static_cast<double>(y.size());
        if (shared_.form == PlsTargetForm::rows) continue;
        y.array() -= means_(j);
        whole_.push_back(targets_.vanished(j) ? 0.0 : dot(y, y));
    }
    left_ = whole_;
}

/// G = Yᵀ K Y, Y being the shared targets minus `means_` on the train rows and zero elsewhere. The
/// products over all rows in use are known, so only the rows that the fold leaves out are
/// multiplied again if they are the fewer.
void PlsIteration::form_first_gram() {
    const auto& rows = fewer_rows_;
    const Matrix y = with_column(rows_of(shared_.targets, rows), entries_of(shared_.in_use, rows));
    Matrix kernel_y = shared_.problem.kernel.part_times(rows, y);
    if (!few_train_)
        kernel_y = with_column(rows_of(shared_.kernel_targets, rows),
                               entries_of(shared_.kernel_sums, rows)) -
                   0.5 * kernel_y;
    const auto products = [&](const Block& columns, Eigen::Index from) -> Matrix {
        const Eigen::Index below = y.cols() - from;
        Matrix of_rows = multiply_transposed(y.rightCols(below),
                                             kernel_y.middleCols(columns.first, columns.count));
        if (few_train_) return of_rows;
        return of_rows + multiply_transposed(kernel_y.rightCols(below),
                                             y.middleCols(columns.first, columns.count));
    };
    const Eigen::Index q = g_.size();
    Vector sums = products({q, 1}, 0);  // (Y, 1)ᵀ K 1, Y not centred
    if (!few_train_) sums = shared_.products.row(q).transpose() - sums;
    kernel_sum_ = sums(q);
    for (const auto& block : even_blocks(q, gram_block)) {
        Matrix g = products(block, block.first);
        if (!few_train_)
            g = shared_.products.block(block.first, block.first, g.rows(), g.cols()) - g;
        for (Eigen::Index c = 0; c < block.count; ++c) {
            const Eigen::Index j = block.first + c;
            for (Eigen::Index i = j; i < q; ++i)
                g(i - block.first, c) +=
                    means_(i) * (means_(j) * kernel_sum_ - sums(j)) - sums(i) * means_(j);
        }
        g_.set_columns(block.first, g);
    }
}

/// By the squares of the targets, centred on the train rows there, times those of the features, row
/// by row: the terms of K Y and of G are about as large, if they have not all the same sign. In the
/// form of rows any orthogonal matrix times Z would do as well, so that only all of it counts.
bool PlsIteration::has_dwarfed_targets() const {
    const bool are_others = sum(as_span(shared_.in_use)) > static_cast<double>(fold_.train.size());
    if (!are_others) return false;
    const Vector& weights = shared_.kernel_diagonal;
    double all_columns = 0;
    double train_columns = 0;
    for (Eigen::Index j = 0; j < g_.size(); ++j) {
        const auto y = shared_.targets.col(j).array();
        const Vector squares = y.square() * weights.array();
        const Vector centred = (y - means_(j)).square() * weights.array();
        const double all = sum(as_span(squares));
        const double train = sum(as_span(entries_of(centred, fold_.train)));
        const bool counts = shared_.form == PlsTargetForm::columns && !targets_.vanished(j);
        if (counts && train < dwarfed_below * all) return true;
        all_columns += all;
        train_columns += train;
    }
    return train_columns < dwarfed_below * all_columns;
}

/// V = K Y of the fold.
void PlsIteration::form_kernel_targets() {
    const Matrix y =
        with_column(rows_of(shared_.targets, fewer_rows_), entries_of(shared_.in_use, fewer_rows_));
    v_ = shared_.problem.kernel.columns_times(fewer_rows_, y);
    Vector train_sums = v_.col(v_.cols() - 1);
    v_.conservativeResize(Eigen::NoChange, v_.cols() - 1);
    if (!few_train_) {
        v_ = shared_.kernel_targets - v_;
        train_sums = shared_.kernel_sums - train_sums;
    }
    Vector column;
    for (Eigen::Index j = 0; j < v_.cols(); ++j) {
        column = v_.col(j) - means_(j) * train_sums;
        centre_on_train(column);
        keep_train(column);
        v_.col(j) = column;
    }
}

void PlsIteration::centre_on_train(Vector& v) const {
    v.array() -= sum(as_span(entries_of(v, fold_.train))) / static_cast<double>(fold_.train.size());
}

void PlsIteration::keep_train(Vector& v) const {
    if (!few_train_) {
        for (const auto row : fewer_rows_) v(row) = 0.0;
        return;
    }
    for (Eigen::Index i = 0; i < v.size(); ++i)
        if (!is_train_[static_cast<std::size_t>(i)]) v(i) = 0.0;
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
            targets_.clear(target);
        }
        g_.clear_row_and_column(target);
    }
}

/// Divides w by its norm and `beside_norm`.
bool PlsIteration::normalise(double beside_norm) {
    const double square = stats::dot(pass_.b.span(), pass_.g_b.span());
    if (!(square > 0) || !std::isfinite(square)) return false;
    const double norm = std::sqrt(square);
    const double s = norm + beside_norm;
    for (double& value : pass_.b.span()) value /= s;
    for (double& value : pass_.g_b.span()) value /= s;
    pass_.square = (norm / s) * (norm / s);
    return true;
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
    const double beside_norm = pls_eps * start_square(start);
    pass_.knows_b = shared_.form == PlsTargetForm::columns;
    if (pass_.knows_b) {
        std::fill_n(pass_.b.data(), pass_.b.size(), 0.0);
        pass_.b.data()[start.target] = 1.0;
        g_.multiply(pass_.b, pass_.g_b);
        return normalise(beside_norm);
    }
    Vector u = Vector::Zero(shared_.targets.rows());
    for (std::size_t i = 0; i < fold_.train.size(); ++i)
        u(fold_.train[i]) = start.column(static_cast<Eigen::Index>(i));
    Vector t = deflated_kernel_times(shared_.problem.kernel.times(u));
    const double square = dot(u, t);
    if (!(square > 0) || !std::isfinite(square)) return false;
    const double norm = std::sqrt(square);
    t /= norm + beside_norm;
    pass_.square = norm / (norm + beside_norm) * (norm / (norm + beside_norm));
    // u = Y b has a solution b, which the next pass does not need.
    const Vector g = transposed_times(shared_.targets, t);
    std::copy_n(g.data(), g.size(), pass_.g_b.data());
    return true;
}

/// True if the weight has changed by less than the tolerance since the last pass, whose numbers it
/// takes.
bool PlsIteration::note_change() {
    // |w − w_old|² = (b − b_old)ᵀ G (b − b_old), or wᵀw − 2 wᵀw_old + w_oldᵀw_old where b_old is
    // not known.
    const auto b = pass_.b.span();
    const auto g = pass_.g_b.span();
    const auto old_b = last_pass_.b.span();
    const auto old_g = last_pass_.g_b.span();
    double change = 0;
    if (last_pass_.knows_b) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            old_b[j] = b[j] - old_b[j];
            old_g[j] = g[j] - old_g[j];
        }
        change = stats::dot(old_b, old_g);
    } else {
        change =
            (stats::dot(b, g) - stats::dot(b, old_g)) + (last_pass_.square - stats::dot(b, old_g));
    }
    fit_.stop_margin = std::min(fit_.stop_margin, std::abs(change - pls_tolerance) / pls_tolerance);
    return change < pls_tolerance;
}

/// Later passes need no eps: there the reference's norm of Xᵀu / uᵀu is the part of Y's variance
/// that t explains, or more, whatever the scales.
bool PlsIteration::power_iteration(const Start& start) {
    if (!first_pass(start)) return false;
    fit_.passes.back() = 1;
    if (targets_.means().size() == 1) return true;
    for (std::size_t pass = 2; pass <= pls_max_passes; ++pass) {
        std::swap(pass_, last_pass_);
        const auto old_g = last_pass_.g_b.span();
        double largest = 0;
        for (const double value : old_g) largest = std::max(largest, std::abs(value));
        if (!(largest > 0)) return false;
        for (std::size_t j = 0; j < old_g.size(); ++j) pass_.b.data()[j] = old_g[j] / largest;
        pass_.knows_b = true;
        g_.multiply(pass_.b, pass_.g_b);
        fit_.passes.back() = pass;
        if (!normalise()) return false;
        if (note_change()) break;
    }
    return true;
}

/// (deflated X)(deflated X)ᵀ d from `product`, which is K d, d being deflated. Twice, as the first
/// time cancels digits.
Vector PlsIteration::deflated_kernel_times(Vector product) const {
    centre_on_train(product);
    keep_train(product);
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
    b_ = Eigen::Map<const Vector>(pass_.b.data(), g_.size());
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
    keep_train(d);
    for (std::size_t k = 0; k < scores_.size(); ++k)
        subtract(d, dot(target_loadings_[k], b_), scores_.vectors[k]);
    return d;
}

Vector PlsIteration::scores(Vector kernel_direction) {
    if (active_) {
        centre_on_train(kernel_direction);
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
    fit_.guard = std::max({fit_.guard, pls_eps * kernel_trace_ / square, pls_eps * fading});
    if (g_.trace() < refresh_below * gram_trace_at_refresh_) refresh();
}

/// The columns of V sum to zero and are zero outside the train rows: Y need not be centred.
void PlsIteration::form_gram() {
    for (const auto& [first, count] : even_blocks(v_.cols(), gram_block))
        g_.set_columns(first, multiply_transposed(shared_.targets.rightCols(v_.cols() - first),
                                                  v_.middleCols(first, count)));
}

/// Deflates V itself and forms G from it: what is left has lost digits as a difference.
void PlsIteration::refresh() {
    if (v_.size() == 0) form_kernel_targets();
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
        const double cutoff = static_cast<double>(shared_.n_components) * pls_eps;
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
