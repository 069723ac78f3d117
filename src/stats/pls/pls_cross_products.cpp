#include "stats/pls/pls_cross_products.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/triangle_update.hpp"

namespace ventral::stats {
namespace {

/// Once this part of the sum of squares of L is left, it is formed anew: as a difference it has
/// lost digits.
constexpr double refresh_below = 1e-3;
/// Nor are there any where X and Y have nothing in common any more: the rounding of X then is most
/// of what they have.
constexpr double refresh_below_size = 1e3 * eps;

/// The train rows minus their means, and zero where that is rounding alone.
Matrix centred(const Matrix& targets, const FoldRows& fold) {
    const PlsTargets known(targets, fold);
    Matrix y = centred_rows(targets, fold.train, known.means());
    for (Eigen::Index j = 0; j < y.cols(); ++j)
        if (known.vanished(j)) y.col(j).setZero();
    return y;
}

/// Y is kept and deflated.
class OfColumns : public PlsCrossProducts {
public:
    OfColumns(const Matrix& targets, const FoldRows& fold) : y_(centred(targets, fold)) {}

    std::optional<Vector> start(const Matrix& x) override {
        for (Eigen::Index j = 0; j < y_.cols(); ++j)
            if (has_vanished(column(y_, j))) y_.col(j).setZero();
        for (Eigen::Index j = 0; j < y_.cols(); ++j) {
            if (has_vanished(column(y_, j))) continue;
            c_ = multiply_transposed(x, y_);
            return Vector(c_.col(j) / stats::dot(column(y_, j), column(y_, j)));
        }
        return std::nullopt;
    }

    const Matrix& matrix() const override { return c_; }

    void take_out(const Vector&, const Vector& t, const Vector&) override {
        const Vector q = transposed_times(y_, t) / dot(t, t);
        take_product_out(y_, t, q);
        loadings_.push_back(q);
    }

    Matrix loadings() const override { return side_by_side(loadings_, 0, y_.cols()); }

private:
    Matrix y_;
    Matrix c_;
    std::vector<Vector> loadings_;
};

/// A target of which it has to be looked what is left.
struct DoubtfulTarget {
    Eigen::Index target;
    double whole;  ///< its sum of squares
    double left;   ///< what components leave of it, as a difference
};

/// Targets that a component may use up, that is, of which all that is left may be below the size at
/// which the reference takes a column for zero. What a vector that is orthogonal to the features
/// sees of a target stays, whichever components are taken out. Nothing is known of features that
/// are as many as the rows: then none is told.
std::vector<DoubtfulTarget> doubtful_targets(const Matrix& x, const PlsTargets& targets) {
    constexpr Eigen::Index more_rows = 32;  // than features; of all of them some are enough
    constexpr double of_rounding = 1e-11;
    if (x.cols() >= x.rows()) return {};
    const Eigen::Index rows = std::min(x.rows(), x.cols() + more_rows);
    const Eigen::Index step = x.rows() / rows;
    const auto some = Eigen::seqN(0, rows, step);
    const Vector left = orthogonal_vector(x(some, Eigen::all));
    const double least = 2 * pls_vanished * left.lpNorm<1>();
    std::vector<DoubtfulTarget> doubtful;
    for (Eigen::Index j = 0; j < targets.count(); ++j) {
        if (targets.vanished(j)) continue;
        const Vector y = targets.column(j);
        const double seen = std::abs(dot(left, y(some)));
        const double square = dot(y, y);
        const bool stays = seen > least && seen > of_rounding * std::sqrt(square);
        if (!stays) doubtful.push_back({j, square, square});
    }
    return doubtful;
}

/// With C = L Qᵀ, QᵀQ = I: C ← C − p tᵀY and tᵀY = wᵀC become L ← L − p wᵀL. No deflated Y is kept.
class OfSmallFactor : public PlsCrossProducts {
public:
    OfSmallFactor(const Matrix& targets, const FoldRows& fold) : targets_(targets, fold) {}

    std::optional<Vector> start(const Matrix& x) override {
        const bool is_first = l_.size() == 0;
        if (is_first) doubtful_ = doubtful_targets(x, targets_);
        const bool has_fewer_targets = clear_used_up();
        const auto start = targets_.find_start(scores_);
        if (!start) return std::nullopt;
        if (is_first || has_fewer_targets || !has_digits()) factorise(x);
        return Vector(transposed_times(x, start->column) / dot(start->column, start->column));
    }

    const Matrix& matrix() const override { return l_; }

    void take_out(const Vector& w, const Vector& t, const Vector& p) override {
        take_product_out(l_, p, transposed_times(l_, w));
        scores_.vectors.push_back(t);
        scores_.squares.push_back(dot(t, t));
    }

    Matrix loadings() const override { return targets_.loadings(scores_); }

private:
    /// True if there are any that were not before.
    bool clear_used_up() {
        if (scores_.size() > 0) take_last_component_out();
        return std::erase_if(doubtful_, [&](const DoubtfulTarget& doubtful) {
                   if (is_surely_left(doubtful)) return false;
                   const auto target = doubtful.target;
                   if (!has_vanished(as_span(targets_.deflated(target, scores_)))) return false;
                   targets_.clear(target, scores_.size());
                   return true;
               }) > 0;
    }

    void take_last_component_out() {
        for (auto& doubtful : doubtful_) {
            const double taken = dot(scores_.vectors.back(), targets_.column(doubtful.target));
            doubtful.left -= taken * taken / scores_.squares.back();
        }
    }

    /// The difference has lost digits, more of them where components are small.
    bool is_surely_left(const DoubtfulTarget& doubtful) const {
        constexpr double with_digits = 1e-6;
        const auto rows = static_cast<double>(targets_.rows());
        return doubtful.left > with_digits * doubtful.whole &&
               doubtful.left > 4 * rows * pls_vanished * pls_vanished;
    }

    /// LQ of Xᵀ Y, a block of targets after the other. X is deflated, but for its rounding: what
    /// that is times a component that has been taken out may be much beside what is left.
    void factorise(const Matrix& x) {
        core::Workers alone(1);
        double square_of_targets = 0;
        l_ = Matrix::Zero(x.cols(), x.cols());
        targets_.for_each_block([&](Eigen::Index first, Matrix& block) {
            if (scores_.size() > 0) deflate(block);
            for (Eigen::Index j = 0; j < block.cols(); ++j)
                if (targets_.vanished(first + j)) block.col(j).setZero();
            square_of_targets += square_sum(block);
            Matrix products = multiply_transposed(block, x);
            absorb_rows(l_, products, alone);
        });
        l_.transposeInPlace();
        size_at_refresh_ = square_sum(l_);
        if (scores_.size() == 0) whole_size_ = square_sum(x) * square_of_targets;
    }

    void deflate(Matrix& block) const {
        Vector y;
        for (Eigen::Index j = 0; j < block.cols(); ++j) {
            y = block.col(j);
            scores_.project_out(y);
            block.col(j) = y;
        }
    }

    bool has_digits() const {
        const double size = square_sum(l_);
        return size >= refresh_below * size_at_refresh_ &&
               size >= refresh_below_size * refresh_below_size * whole_size_;
    }

    PlsTargets targets_;
    std::vector<DoubtfulTarget> doubtful_;
    PlsScores scores_;
    Matrix l_;
    double size_at_refresh_ = 0;
    double whole_size_ = 0;  ///< squares of X times squares of Y, before any component
};

}  // namespace

std::unique_ptr<PlsCrossProducts> make_cross_products(Eigen::Index features, const Matrix& targets,
                                                      const FoldRows& fold) {
    const auto rank = std::min(features, static_cast<Eigen::Index>(fold.train.size()));
    if (targets.cols() > rank) return std::make_unique<OfSmallFactor>(targets, fold);
    return std::make_unique<OfColumns>(targets, fold);
}

}  // namespace ventral::stats
