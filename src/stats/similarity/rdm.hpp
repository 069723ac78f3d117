#pragma once
/// @file
/// Representational dissimilarity matrices (Kriegeskorte et al. 2008): 1 minus the correlation of
/// each two rows, as Brain-Score's `RDM` has it by `numpy.corrcoef`.
///
/// Which form, an inequality on n and p (`has_few_features`): of few features the products are made
/// from the rows themselves, if the rows are few too with NumPy's very call (see
/// `row_products.hpp`), because with few or coarse features many dissimilarities are exactly equal,
/// and Spearman's ranks know equal from nearly equal. Beyond that they follow from the Gram and its
/// sums: a dissimilarity is then off by up to `guard`, dissimilarities that would be exactly equal
/// for another reason than equal rows come out as neighbours, and one rank that is flipped so
/// changes Spearman's correlation by about 1 / N², N = n (n - 1) / 2.

#include <cstddef>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"
#include "stats/gram/gram.hpp"
#include "stats/linear_algebra/matrix.hpp"
#include "stats/linear_algebra/row_products.hpp"

namespace ventral::stats {

/// Whether ties are worth the features themselves: where NumPy's call can be made, and up to
/// min(4 n, 1024) features; where 1024 is below 4 n a flipped rank is worth less than 1e-9.
bool has_few_features(std::size_t rows, std::size_t features);

/// Largest `guard` that the Gram form is trusted with when the features are at hand.
inline constexpr double rdm_guard_limit = 1e-11;

/// Correlation distances of any two of the rows that it was made for.
class CorrelationDistances {
public:
    /// Takes the products; of features whose number is `features`.
    CorrelationDistances(RowProducts products, std::size_t features);

    /// Of the uncentred rows behind a Gram. Keeps a view of `kernel`, if it is held. With xc = x -
    /// μ, δ the mean over features of xc and ν = μ - mean(μ): zᵢ·zⱼ = Kᵢⱼ + xcᵢ·ν + xcⱼ·ν + ν·ν - p
    /// δᵢ δⱼ, in which the mean over all features and rows, however large, has gone from every
    /// term.
    CorrelationDistances(const Kernel& kernel, const GramSums& sums, std::size_t features,
                         core::Workers& workers);

    CorrelationDistances(CorrelationDistances&&) = default;

    /// 1 - r of two different rows. As in NumPy the product is divided first by the deviation of
    /// `a`, then by that of `b`: in the last bit the order counts. NaN if one of them holds a NaN
    /// or is constant and its mean is exact; else, of products, rounding is correlated, as in
    /// NumPy.
    double operator()(Eigen::Index a, Eigen::Index b) const;

    /// Bound on the error of a correlation from the terms that cancel: eps times the sum of their
    /// sizes over zᵢ·zᵢ, the largest of all rows that are not constant; infinite if a constant row
    /// has an inexact mean; 0 of products.
    double guard() const { return guard_; }

private:
    void find_deviations(std::span<const char> constant);
    double product(Eigen::Index a, Eigen::Index b) const;

    Matrix products_;  // empty if the kernel is somebody else's
    MatrixView kernel_;
    Vector shift_;       // xcᵢ·ν + ν·ν / 2
    Vector row_mean_;    // √p δᵢ
    Vector deviation_;   // standard deviation of each row (ddof 1), NaN for constant ones
    double per_degree_;  // 1 / (p - 1)
    double guard_ = 0;
};

/// What the features' distances were made from.
enum class DistanceForm { gram, rows };

struct FeatureDistances {
    CorrelationDistances distances;
    DistanceForm form;
};

/// Distances of the problem's features. From the rows if these are few (see above), if the Gram's
/// sums are not known, or if the Gram form's guard is above `rdm_guard_limit`; and if
/// `problem.read` is there. Without it always from the Gram: exact ties are lost then, and features
/// with a mean far above their deviations lose digits, as the guard tells. Throws
/// `core::InputError` if there are neither features nor sums.
FeatureDistances feature_distances(const Problem& problem, core::Workers& workers);

/// Distances of rows of features that are at hand: of the rows `order` as in `numpy_row_products`,
/// where its call can be made for them, else of all rows.
CorrelationDistances row_distances(std::size_t rows, std::size_t features, const ReadSlab& read,
                                   std::span<const Eigen::Index> order, core::Workers& workers);

/// Distances of the rows of `recordings`, likewise.
CorrelationDistances recording_distances(const Matrix& recordings,
                                         std::span<const Eigen::Index> order,
                                         core::Workers& workers);

/// The strict upper triangle over `rows`, row by row: entry (i, j), i < j, is the distance of
/// rows[i] and rows[j].
std::vector<double> upper_triangle(const CorrelationDistances& distances,
                                   std::span<const Eigen::Index> rows, core::Workers& workers);

}  // namespace ventral::stats
