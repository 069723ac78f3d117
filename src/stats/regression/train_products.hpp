#pragma once
/// @file
/// X̃ᵀX̃ of the train rows of many folds, X̃ being these rows minus their mean, for fewer features
/// than rows: XᵀX of all rows, minus what the rows that a fold leaves out have in it. These are
/// mostly few, so that all folds together take little more than one of them alone.
///
/// Exact but for rounding. An entry loses digits where its features vary more over all rows than
/// over the train rows; the columns of features that vary twice as much, as some that are zero in
/// nearly all rows, are made of the train rows themselves.

#include <span>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// The lower triangle of X̃ᵀX̃ of `centred` train rows, n_train p² operations, or of X̃X̃ᵀ.
Matrix own_products(const Matrix& centred);
Matrix own_row_products(const Matrix& centred);

class TrainProducts {
public:
    /// At most one column in so many is made anew, else all are.
    static constexpr Eigen::Index columns_to_one_anew = 16;

    /// True if this takes fewer operations than `own_products` of each fold.
    static bool pay(std::span<const FoldRows> folds, Eigen::Index rows);

    /// Of rows × p features that vary about means of 0, and that must outlive this.
    TrainProducts(const Matrix& features, core::Workers& workers);

    /// The largest sum of squares of a feature over all rows.
    double largest() const { return products_.diagonal().maxCoeff(); }

    /// The lower triangle (p × p) for a fold whose train rows are each once, of which `centred`
    /// are the features minus their `mean`. Digits that an entry lacks beside `alpha`, which will
    /// be added to its diagonal, do not matter.
    Matrix of(const FoldRows& fold, const Matrix& centred, const Vector& mean, double alpha) const;

private:
    const Matrix& features_;
    Matrix products_;  ///< of all rows: the lower triangle
};

}  // namespace ventral::stats
