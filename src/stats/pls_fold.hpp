#pragma once
/// @file
/// The NIPALS iteration of one fold, a step at a time; `pls.hpp` explains the method.

#include "stats/pls.hpp"
#include "stats/pls_targets.hpp"

namespace ventral::stats {

/// What the folds of a call share.
struct PlsProblem {
    const Problem& problem;
    std::size_t n_components;
    PlsTargetForm form;
    Matrix targets;         ///< n × q: the targets minus their means over all rows, or Z
    Matrix kernel_targets;  ///< K · `targets`
    Vector kernel_sums;     ///< K · 1
};

/// State of one fold. Vectors over presentations have an entry for every row of the problem and are
/// zero in rows that are not train rows. The deflated Y and V are never formed: with P the
/// projection that takes the scores t_k out they are P Y and P (V − Σ r_k s_kᵀ), and every use of
/// them is a product of the undeflated ones and a few vectors.
class PlsIteration {
public:
    /// Keeps references to both.
    PlsIteration(const PlsProblem& shared, const FoldRows& fold);

    /// Finds the next component and returns its scores t, or zeros once the targets are used up or
    /// the iteration has broken down.
    Vector next_component();

    /// r: K t of what `next_component` returned, `kernel_scores`, without what earlier components
    /// have taken out. Zeros if there is no component.
    Vector residual(Vector kernel_scores);

    /// Takes the component out; both are products of `PlsProblem::targets`, transposed: with what
    /// `next_component` and `residual` returned.
    void take_out(const Eigen::Ref<const Vector>& target_scores,
                  const Eigen::Ref<const Vector>& target_residuals);

    /// Predictions of the test rows from all components found.
    PlsFold predict() const;

private:
    using Start = PlsTargets::Start;

    void centre_kernel_targets();
    void clear_vanished_targets();
    bool first_pass(const Start& start);
    bool power_iteration(const Start& start);
    bool note_change(const Vector& old_b, const Vector& old_g);
    bool normalise();
    Vector deflated_kernel_times(Vector product) const;
    void downdate_gram(const Vector& loadings, const Vector& products, double square);
    void form_gram();
    void refresh();
    double gram_trace() const;
    Matrix weights() const;
    Matrix inner_product(const Matrix& weights) const;
    void centre_on_train(Vector& v) const;
    void keep_train(Vector& v) const;

    const PlsProblem& shared_;
    const FoldRows& fold_;
    PlsTargets targets_;
    Vector means_;       ///< of `shared_.targets` over the train rows
    Vector train_sums_;  ///< K · (1 on the train rows)
    std::vector<char> is_train_;
    std::vector<double> whole_;  ///< sum of squares of each target; only in the form of columns
    std::vector<double> left_;   ///< what is left of it
    Matrix v_;                   ///< K Y, centred on the train rows, as of component `folded_in_`
    Matrix g_;                   ///< lower triangle of (deflated Y)ᵀ V
    double gram_trace_at_refresh_ = 0;
    double whole_gram_trace_ = 0;  ///< before any component was taken out
    double kernel_trace_ = 0;  ///< over the train rows as K is given, to which it is rounded

    Vector b_;  ///< of the component in work: w = Xᵀ Y b
    Vector g_b_;
    Vector t_;
    bool active_ = false;  ///< there is a component in work
    bool finished_ = false;

    PlsScores scores_;                     ///< t_k
    PlsScores train_scores_;               ///< the same, their train rows only
    std::vector<Vector> target_weights_;   ///< b_k
    std::vector<Vector> target_loadings_;  ///< s_k = Yᵀ t_k / t_kᵀ t_k
    std::vector<Vector> kernel_scores_;    ///< K t_k, centred on the train rows
    std::vector<Vector> residuals_;        ///< r_k: the same minus projections on earlier t
    std::size_t folded_in_ = 0;            ///< components that `v_` is already rid of
    PlsFold fit_;
};

}  // namespace ventral::stats
