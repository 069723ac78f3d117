#pragma once
/// @file
/// Split-half consistency: presentations averaged in two halves, correlated per neuroid and
/// corrected by Spearman–Brown. What the ceilings over repetitions have in common.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/workers.hpp"
#include "metrics/presentation_matrix.hpp"

namespace ventral::metrics {

/// Presentations that are averaged together: group g is `rows[starts[g]]` … `rows[starts[g+1]-1]`.
struct RowGroups {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> starts = {0};

    std::size_t count() const { return starts.size() - 1; }
    /// Ends the group of the rows that were added since the last.
    void close() { starts.push_back(rows.size()); }
};

/// Group g of one half is paired with group g of the other; both have as many.
struct SplitHalves {
    RowGroups first, second;
};

/// splits × neuroids: r of the group means of both halves (NaN skipped in the means, added up in
/// the order of the rows), then 2 r / (1 + r). A split without groups is NaN. One task takes a few
/// neuroids through all splits, so that no more than two halves of these are in memory beside the
/// presentations. Throws `core::InputError` if the values are strings.
std::vector<double> split_half_consistency(const PresentationView& presentations,
                                           const std::vector<SplitHalves>& splits,
                                           core::Workers& workers);

}  // namespace ventral::metrics
