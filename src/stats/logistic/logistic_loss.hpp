#pragma once
/// @file
/// The function that multinomial logistic regression minimises, its gradient and its curvature.
/// What minimises it stands in `logistic_regression.hpp`.

#include <cstddef>
#include <vector>

#include "stats/linear_algebra/row_table.hpp"

namespace ventral::stats {

/// f(W, b) = Σ_i −log softmax(W x_i + b)_{y_i} + penalty / 2 |W|², as scikit-learn's
/// `LinearModelLoss` of `HalfMultinomialLoss` computes it, in the type of the features. Parameters
/// are features + 1 × classes, the intercepts b in the last row.
template <typename Real>
class LogisticLoss {
public:
    /// One presentation per row; `classes_of_rows` are 0 … classes − 1. The features must outlive
    /// this.
    LogisticLoss(const RowTable<Real>& features, std::vector<std::size_t> classes_of_rows,
                 std::size_t classes, double penalty);

    RowTable<Real> zero_parameters() const;

    double value(const RowTable<Real>& parameters) const;
    RowTable<Real> gradient(const RowTable<Real>& parameters) const;
    /// softmax(W x_i + b), presentations × classes.
    RowTable<Real> probabilities(const RowTable<Real>& parameters) const;
    /// Second derivatives where the model has these probabilities, times `direction`.
    RowTable<Real> times_hessian(const RowTable<Real>& probabilities,
                                 const RowTable<Real>& direction) const;

private:
    RowTable<Real> decisions(const RowTable<Real>& parameters) const;
    RowTable<Real> back_to_parameters(const RowTable<Real>& of_rows,
                                      const RowTable<Real>& parameters) const;

    const RowTable<Real>& features_;
    std::vector<std::size_t> classes_of_rows_;
    Eigen::Index classes_;
    double penalty_;
};

}  // namespace ventral::stats
