#pragma once
/// @file
/// The NIPALS iteration of one fold, a step at a time; `pls.hpp` explains the method.

#include "stats/pls.hpp"

namespace ventral::stats {

/// State of one fold. Vectors over presentations have an entry for every row of the problem and are
/// zero in rows that are not train rows.
class PlsIteration {
public:
    PlsIteration() = default;

    /// `centred` are the targets minus their means over all rows, `kernel_targets` is K ·
    /// `centred`.
    PlsIteration(const Problem& problem, const FoldRows& fold, const Matrix& centred,
                 const Matrix& kernel_targets);

    /// Finds the next component and returns its scores t, or zeros once the targets are used up or
    /// the iteration has broken down.
    Vector next_component();

    /// Takes the component out again; `kernel_scores` is K t of what `next_component` returned.
    void deflate(const Vector& kernel_scores);

    /// Predictions of the test rows from all components found.
    PlsFold predict(const Problem& problem) const;

private:
    Matrix kernel_times_targets(const MatrixView& kernel, const Matrix& centred,
                                const Matrix& kernel_targets, const Vector& means) const;
    Eigen::Index start_column() const;
    void clear_vanished_targets();
    bool power_iteration(Eigen::Index start);
    Vector deflate_columns(const Vector& r, double square);
    void downdate_gram(const Vector& target_kernel_scores, double score_kernel_score);
    void centre_on_train(Vector& v) const;

    FoldRows fold_;
    Vector target_means_;
    Vector train_sums_;  ///< K · (1 on the train rows)
    Matrix y_;           ///< n × m, deflated
    Matrix v_;           ///< K y_, centred on the train rows and orthogonal to the scores
    Matrix g_;           ///< y_ᵀ v_
    double gram_trace_at_refresh_ = 0;
    double kernel_trace_ = 0;

    Vector b_;  ///< of the component in work
    Vector t_;
    bool active_ = false;  ///< there is a component in work
    bool finished_ = false;

    std::vector<Vector> scores_;           ///< t_k
    std::vector<Vector> weights_;          ///< d_k with w_k = Xᵀ d_k
    std::vector<Vector> target_loadings_;  ///< s_k
    std::vector<Vector> kernel_scores_;    ///< K t_k, centred on the train rows
    std::vector<double> score_squares_;    ///< t_kᵀ t_k
    PlsFold fit_;
};

}  // namespace ventral::stats
