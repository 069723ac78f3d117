#pragma once
/// @file
/// Which row of the model's activations belongs to which row of the recordings.

#include <cstddef>
#include <string>
#include <vector>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::metrics {

/// Where the ids of the source stand.
enum class StimuliOf { features, table };

/// For each target row the source row with the same stimulus id; of repeated ids the first with the
/// first (NUMERICS 1.1, 1.4). Throws `core::InputError` that names an odd one if the ids, with
/// their multiplicity, differ; it calls the source as `kind` says.
std::vector<std::size_t> pair_rows(const std::vector<std::string>& source_ids,
                                   const std::vector<std::string>& target_ids,
                                   StimuliOf kind = StimuliOf::features);

/// The positions in `rows` in the order of the source rows that stand there.
std::vector<Eigen::Index> given_order(const std::vector<std::size_t>& rows);

}  // namespace ventral::metrics
