#include "stats/pls/pls_cross_products.hpp"

#include <algorithm>

#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/triangle_update.hpp"

namespace ventral::stats {
namespace {

/// Once this part of the sum of squares of L is left, it is formed anew: as a difference it has
/// lost digits.
constexpr double refresh_below = 1e-3;

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

/// With C = L Qᵀ, QᵀQ = I: C ← C − p tᵀY and tᵀY = wᵀC become L ← L − p wᵀL. No deflated Y is kept.
class OfSmallFactor : public PlsCrossProducts {
public:
    OfSmallFactor(const Matrix& targets, const FoldRows& fold) : targets_(targets, fold) {}

    std::optional<Vector> start(const Matrix& x) override {
        const auto start = targets_.find_start(scores_);
        if (!start) return std::nullopt;
        if (l_.size() == 0 || !(size() >= refresh_below * size_at_refresh_)) factorise(x);
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
    /// LQ of Xᵀ Y, a block of targets after the other. X is deflated, but for its rounding: what
    /// that is times a component that has been taken out may be much beside what is left.
    void factorise(const Matrix& x) {
        core::Workers alone(1);
        l_ = Matrix::Zero(x.cols(), x.cols());
        targets_.for_each_block([&](Eigen::Index, Matrix& block) {
            if (scores_.size() > 0) deflate(block);
            Matrix products = multiply_transposed(block, x);
            absorb_rows(l_, products, alone);
        });
        l_.transposeInPlace();
        size_at_refresh_ = size();
    }

    void deflate(Matrix& block) const {
        Vector y;
        for (Eigen::Index j = 0; j < block.cols(); ++j) {
            y = block.col(j);
            scores_.project_out(y);
            block.col(j) = y;
        }
    }

    double size() const {
        std::vector<double> squares;
        for (Eigen::Index j = 0; j < l_.cols(); ++j)
            squares.push_back(stats::dot(column(l_, j), column(l_, j)));
        return sum(squares);
    }

    PlsTargets targets_;
    PlsScores scores_;
    Matrix l_;
    double size_at_refresh_ = 0;
};

}  // namespace

std::unique_ptr<PlsCrossProducts> make_cross_products(Eigen::Index features, const Matrix& targets,
                                                      const FoldRows& fold) {
    const auto rank = std::min(features, static_cast<Eigen::Index>(fold.train.size()));
    if (targets.cols() > rank) return std::make_unique<OfSmallFactor>(targets, fold);
    return std::make_unique<OfColumns>(targets, fold);
}

}  // namespace ventral::stats
