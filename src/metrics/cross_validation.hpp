#pragma once
/// @file
/// The reference's `Split` on an assembly: which presentations are train and test in each split.

#include <map>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "metrics/options.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::metrics {

/// The splits of `assembly`'s presentations, in its own row order. A row belongs to a side if its
/// split value (stimulus id) was drawn for it: with repeated ids it can be in both (NUMERICS 1.2,
/// 1.3). Throws `core::InputError` where the reference raises, and if the stratification
/// coordinate is missing (the message names `"none"`).
std::vector<stats::FoldRows> cross_validation_splits(const core::Assembly& assembly,
                                                     const CrossValidationOptions& options);

/// Of metrics that compare parts: without a size 0.9 is compared.
CrossValidationOptions of_compared_parts(CrossValidationOptions options);

/// Whether a size of train or test set is asked for beside `kfold`, which has its own.
bool has_size_beside_kfold(const CrossValidationOptions& options);
inline constexpr const char* no_size_beside_kfold =
    "kfold = true excludes train_size and test_size (rdm_cv and cka_cv have test_size = 0.9 unless "
    "it is \"none\", in --params null)";

/// Labels of presentations by the name of their coordinate.
using SplitLabels = std::map<std::string, std::vector<std::string>>;

/// What splits are drawn by beside stimulus ids, as far as `assembly` has it.
SplitLabels split_labels(const core::Assembly& assembly, const CrossValidationOptions& options);

/// Throws `core::InputError` if `source` has other strata, or other values to split by, than
/// `target`, each counted as often as it occurs (NUMERICS 1.1). Stimulus ids are `pair_rows`'s
/// affair. What `source` does not have is not compared: splits are drawn on the target's labels.
void check_split_labels(const SplitLabels& source, const SplitLabels& target);
void check_split_labels(const core::Assembly& source, const core::Assembly& target,
                        const CrossValidationOptions& options);

}  // namespace ventral::metrics
