#pragma once
/// @file
/// The rows of a fold, and a problem that several folds share.

#include <cstddef>
#include <span>
#include <vector>

#include "stats/gram/kernel.hpp"
#include "stats/gram/reduced_features.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Rows of K and Y that a fold fits on and predicts. A row may be on both sides, or on neither.
struct FoldRows {
    std::vector<Eigen::Index> train;
    std::vector<Eigen::Index> test;
};

struct SharedFits;

/// One regression problem: `kernel` (n × n) is the Gram of the features, of any offset, `targets`
/// (n × m) the recordings. Row i of both belongs to the same presentation.
struct Problem {
    Kernel kernel;
    const Matrix& targets;
    std::size_t features;          ///< p, behind the kernel
    ReducedFeatures reduced = {};  ///< if they can be had
    GramSums sums = {};            ///< of the kernel; empty if they are not known
    ReadSlab read = {};            ///< the features themselves, rows as here; empty: not at hand
    /// All rows in the order in which the features were given; empty: as here. Nothing but last
    /// bits can depend on it, and so exact ties.
    std::vector<Eigen::Index> given_order = {};
    /// All folds of the score; empty: those that come with the problem are all.
    std::span<const FoldRows> all_folds = {};
    SharedFits* shared = nullptr;  ///< what the groups of these folds share, if they can
};

/// All folds of the score that these are some of.
inline std::span<const FoldRows> all_folds_of(const Problem& problem,
                                              std::span<const FoldRows> folds) {
    return problem.all_folds.empty() ? folds : problem.all_folds;
}

/// Above this value of a fit's `guard`, what the rounding of its Gram may change, relative, digits
/// may be lost that the reference has.
inline constexpr double guard_limit = 1e-12;

/// Of `n` rows: 1 for `rows`, 0 for the others.
std::vector<char> marks_of(const std::vector<Eigen::Index>& rows, Eigen::Index n);

/// The rows that `marks` has, or those that it has not, in ascending order.
std::vector<Eigen::Index> marked_rows(const std::vector<char>& marks);
std::vector<Eigen::Index> unmarked_rows(const std::vector<char>& marks);

/// Those of `n` rows that some fold trains on, in ascending order.
std::vector<Eigen::Index> rows_in_use(Eigen::Index n, std::span<const FoldRows> folds);

/// Rows `rows` of `matrix`.
Matrix rows_of(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows);

/// Entries `rows` of `v`.
Vector entries_of(const Eigen::Ref<const Vector>& v, const std::vector<Eigen::Index>& rows);

/// Rows `rows` of `matrix`, minus `means` in each column.
Matrix centred_rows(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows,
                    const Vector& means);

/// Gives rows of `prediction` whose features are equal the same prediction, that of the first of
/// them: row i is of the row test[i] of K, which has equal rows for equal features (and for others
/// that differ by less than its digits: for fits to K alone). They differ in last bits else, where
/// sums begin in another place, and where all are equal (two test stimuli, say, both blank) the
/// correlation is ±1 in place of NaN. Fits to the features keep that.
void unite_equal_rows(const Kernel& kernel, const std::vector<Eigen::Index>& test,
                      Matrix& prediction);

/// Mean of each column over `rows`.
Vector column_means(const Eigen::Ref<const Matrix>& matrix, const std::vector<Eigen::Index>& rows);

}  // namespace ventral::stats
