#pragma once
/// @file
/// Correlations of a slab of features with all targets, on the train rows of several folds at once,
/// by matrix products that the folds share. An intermediate of `neuron_to_neuron.hpp`.
///
/// With both sides centred on all rows, the sum over a fold's train rows of x (y − ȳ) is either the
/// product of the train rows, or that of all rows minus that of the rows left out, whichever is
/// less work for the folds together. Sums of squares of features are added up over the train rows
/// themselves. A feature that loses too many digits either way is correlated from its own centred
/// and normalised train rows instead.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::stats {

/// What a correlation may be wrong by, beside the rounding of the values themselves.
inline constexpr double correlation_error = 2.5e-10;

/// The targets of some folds as the products take them.
struct TrainTargets {
    struct Fold {
        const FoldRows* rows = nullptr;
        std::vector<Eigen::Index> factors;  ///< rows that the fold's own product is of
        bool left_out = false;              ///< they are the others: taken off the product of all
        Vector mean;                        ///< of each column of `centred` over the train rows
        /// 1 / length of the column, centred on the train rows; NaN if it is constant there.
        Vector scale;
        double spread = 1;  ///< most that a column's length in the product exceeds that length
    };
    Matrix centred;  ///< n × m: targets minus their means over all rows
    Matrix
        membership;  ///< n × (folds + 1): 1 for the train rows of each fold; the last is all ones
    std::vector<Fold> folds;
    bool any_left_out = false;
};

/// The folds must outlive the result. Throws `core::InputError` if a fold has no train rows.
TrainTargets train_targets(const Matrix& targets, std::span<const FoldRows> folds);

/// The values of some features of a slab in some rows, as they are: rows × features.
Matrix values_of(const FeatureMatrix& slab, std::span<const Eigen::Index> rows,
                 std::span<const std::size_t> features);

class SlabCorrelations {
public:
    /// Features and targets that one task correlates.
    static constexpr std::size_t feature_block = 256;
    static constexpr Eigen::Index target_block = 512;

    /// `centred` is scratch memory of at least the slab's size. Both it and the slab must stay
    /// valid.
    SlabCorrelations(const FeatureMatrix& slab, const TrainTargets& targets,
                     std::span<double> centred, core::Workers& workers);

    std::size_t feature_blocks() const;
    std::size_t target_blocks() const;

    /// First feature of a block, within the slab, and first target.
    static std::size_t first_feature(std::size_t block) { return block * feature_block; }
    static Eigen::Index first_target(std::size_t block) {
        return static_cast<Eigen::Index>(block) * target_block;
    }

    /// Calls `use(fold, r)` for one fold after the other with the correlations of a block of
    /// features with a block of targets: features × targets, NaN where either is constant over the
    /// train rows. What `use` makes of `r` is its own affair. The slab's blocks may be visited by
    /// several tasks at once.
    void visit(std::size_t features, std::size_t targets,
               const std::function<void(std::size_t fold, Matrix& r)>& use) const;

private:
    using Features = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

    Features block(std::size_t b) const;
    void add_moments(std::size_t b);
    void judge(std::size_t b);
    void replace_doubtful(std::size_t b, std::size_t f, Eigen::Index first, Matrix& r) const;

    const FeatureMatrix& slab_;
    const TrainTargets& targets_;
    std::span<double> centred_;
    Matrix sums_;     // of each feature over the train rows of each fold
    Matrix squares_;  // the same of its square; the last column is of all rows
    Matrix scale_;    // 1 / length, centred on the train rows; NaN: not from the products
};

}  // namespace ventral::stats
