#pragma once
/// @file
/// The targets of one fold of PLS as the reference's tests see them, a column at a time, so that
/// many of them cost no copy; and the small matrix that stands for them in the power iteration.

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"
#include "stats/linear_algebra/eps.hpp"

namespace ventral::stats {

/// The size below which scikit-learn sets whole columns of Y to zero.
inline constexpr double pls_vanished = 10 * eps;

/// An error, unless all targets are constant too: then the reference looks at none of the features,
/// and predicts the means.
inline constexpr const char* constant_features =
    "pls: the features are constant over the train rows of a fold";

/// Scores t_k of the components found so far, orthogonal to each other, and their t_kᵀt_k.
struct PlsScores {
    std::vector<Vector> vectors;
    std::vector<double> squares;

    std::size_t size() const { return vectors.size(); }
    /// v ← v minus its projections on the scores, one after the other.
    void project_out(Vector& v) const;
};

/// Y of a fold: the train rows of `targets` (n × m), minus their means over them. Vectors over rows
/// have an entry for each train row, in its order.
class PlsTargets {
public:
    /// Keeps references to both.
    PlsTargets(const Matrix& targets, const FoldRows& fold);

    Eigen::Index count() const { return targets_.cols(); }
    std::size_t rows() const { return fold_.train.size(); }
    const Vector& means() const { return means_; }
    /// Column j is zero: all of it was below 10 eps before the first component, or it is constant,
    /// or `clear` has been told so. What a constant differs from its mean by is rounding; the
    /// reference would start with it, and its scores then move by 1e-3 with the order of features.
    bool vanished(Eigen::Index j) const { return explained_by_[static_cast<std::size_t>(j)] < all; }
    /// Its rest is zero from here on: so many components explain it.
    void clear(Eigen::Index j, std::size_t components) {
        explained_by_[static_cast<std::size_t>(j)] = components;
    }
    Vector column(Eigen::Index j) const;
    /// Column j after the components of `scores`.
    Vector deflated(Eigen::Index j, const PlsScores& scores) const;

    /// A column that the power iteration starts with.
    struct Start {
        Eigen::Index target;
        Vector column;  ///< deflated
    };
    /// The first column that the reference does not set to zero: some entry is 10 eps or more.
    /// Searches from the last one found on, since what is zero stays zero. None: all are used up.
    std::optional<Start> find_start(const PlsScores& scores);

    /// That column alone, where `surely_alive` may answer for a column without its being deflated.
    std::optional<Eigen::Index> find_target(const PlsScores& scores,
                                            const std::function<bool(Eigen::Index)>& surely_alive);

    /// Yᵀ t_k / t_kᵀt_k (m × components), zero where a column was zero when t_k was found. In
    /// blocks of 1024 targets.
    Matrix loadings(const PlsScores& scores) const;

    /// Calls `use` with blocks of at most 1024 columns of Y, in order, which it may alter.
    void for_each_block(const std::function<void(Eigen::Index first, Matrix& block)>& use) const;

private:
    const Matrix& targets_;
    const FoldRows& fold_;
    Vector means_;
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> explained_by_;  ///< so many components, or all and more
    Eigen::Index first_alive_ = 0;
};

/// True if all entries are below 10 eps.
bool has_vanished(std::span<const double> values);

/// Targets minus their means over the rows that some fold trains on; zero in the others, whose
/// targets no fit may see.
Matrix centre_targets(const Matrix& targets, std::span<const FoldRows> folds,
                      core::Workers& workers);

/// Z (n × min(m, rows in use)) with Z Zᵀ = Y Yᵀ over the rows that some fold trains on, Y being the
/// targets minus their means over these rows; zero in the others. By LQ, so that nothing is
/// squared; see `reduce_features`.
Matrix reduce_targets(const Matrix& targets, std::span<const FoldRows> folds,
                      core::Workers& workers);

}  // namespace ventral::stats
