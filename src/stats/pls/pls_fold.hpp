#pragma once
/// @file
/// The NIPALS iteration of one fold, a step at a time; `pls.hpp` explains the method.

#include "stats/pls/pls_fold_start.hpp"
#include "stats/pls/pls_power_iteration.hpp"

namespace ventral::stats {

/// State of one fold. Vectors over presentations have an entry for every row of the problem and are
/// zero in rows that are not train rows. Neither V = K Y nor the deflated Y is formed, unless G has
/// lost digits: with P the projection that takes the scores t_k out, the deflated Y is P Y, and
/// every use of it is a product of Y and a few vectors. A component takes five calls, between which
/// the caller multiplies, for all folds at once.
class PlsIteration {
public:
    /// Keeps references to both.
    PlsIteration(const PlsProblem& shared, const FoldRows& fold);

    /// Targets of rows that the fold leaves out dwarf those that it trains on, so that nothing that
    /// is summed or centred over all rows has digits of these. No component is found then.
    bool is_dwarfed() const { return is_dwarfed_; }

    /// Finds the next component and returns its b: its weights are w = Xᵀ Y b. Zeros once the
    /// targets are used up or the iteration has broken down.
    Vector next_weights();

    /// d: Y b, deflated, from `PlsProblem::targets` times b. Zeros if there is no component.
    Vector direction(const Eigen::Ref<const Vector>& weighted_targets);

    /// The scores t from K d. Zeros if there is no component.
    Vector scores(Vector kernel_direction);

    /// r: K t without what earlier components have taken out. Zeros if there is no component.
    Vector residual(Vector kernel_scores);

    /// Takes the component out; both are products of `PlsProblem::targets`, transposed: with what
    /// `scores` and `residual` returned.
    void take_out(const Eigen::Ref<const Vector>& target_scores,
                  const Eigen::Ref<const Vector>& target_residuals);

    /// Predictions of the test rows from all components found.
    PlsFold predict() const;

private:
    using Start = PlsTargets::Start;

    PlsIteration(const PlsProblem& shared, const FoldRows& fold, PlsFoldStart start);

    void check_features(double kernel_sum);
    bool surely_alive(Eigen::Index target) const;
    std::optional<Start> find_start();
    void clear_vanished_targets();
    bool first_pass(const Start& start);
    bool power_iteration(const Start& start);
    double start_square(const Start& start) const;
    Vector deflated_kernel_times(Vector product) const;
    void form_gram();
    void refresh();
    void break_down();
    Matrix inner_product() const;

    const PlsProblem& shared_;
    const FoldRows& fold_;
    PlsTargets targets_;
    TrainRows train_;
    Vector means_;  ///< of `shared_.targets` over the train rows
    bool is_dwarfed_;
    std::vector<double> whole_;  ///< sum of squares of each target; only in the form of columns
    std::vector<double> left_;   ///< what is left of it
    Matrix v_;  ///< K Y, centred on the train rows, as of component `folded_in_`; empty at first
    PackedSymmetric g_;  ///< (deflated Y)ᵀ V
    double gram_trace_at_refresh_;
    double whole_gram_trace_;  ///< before any component was taken out
    double kernel_trace_;      ///< over the train rows as K is given, to which it is rounded

    PlsPowerIteration power_;
    Vector b_;  ///< of the component in work
    Vector t_;
    bool active_ = false;  ///< there is a component in work
    bool finished_;

    PlsScores scores_;                       ///< t_k
    PlsScores train_scores_;                 ///< the same, their train rows only
    std::vector<Vector> target_loadings_;    ///< s_k = Yᵀ t_k / t_kᵀ t_k
    std::vector<Vector> kernel_directions_;  ///< K d_k, centred on the train rows
    std::vector<Vector> residuals_;          ///< r_k
    std::size_t folded_in_ = 0;              ///< components that `v_` is already rid of
    PlsFold fit_;
};

}  // namespace ventral::stats
