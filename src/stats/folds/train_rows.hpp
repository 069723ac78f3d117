#pragma once
/// @file
/// The train rows of a fold among all rows of a problem, told by whichever are fewer: themselves or
/// the rows that the fold leaves out.

#include <vector>

#include "stats/folds/folds.hpp"

namespace ventral::stats {

class TrainRows {
public:
    /// Of the fold of a problem of `rows` rows. Keeps a reference to the fold.
    TrainRows(const FoldRows& fold, Eigen::Index rows);

    /// They are at most half of all rows.
    bool are_few() const { return are_few_; }

    /// The train rows if they are few, or all others, in ascending order.
    const std::vector<Eigen::Index>& fewer() const { return fewer_; }

    /// v ← v minus its mean over the train rows. `v` has an entry for every row of the problem.
    void centre(Vector& v) const;

    /// Sets the entries of the other rows to zero.
    void keep(Vector& v) const;

private:
    const FoldRows& fold_;
    std::vector<char> is_train_;
    bool are_few_;
    std::vector<Eigen::Index> fewer_;
};

}  // namespace ventral::stats
