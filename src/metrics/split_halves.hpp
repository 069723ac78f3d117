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

/// Presentations that are averaged together: group g is `places[starts[g]]` …
/// `places[starts[g + 1] - 1]`, places in a list of rows.
struct PlaceGroups {
    std::vector<std::uint32_t> places;
    std::vector<std::size_t> starts = {0};

    std::size_t count() const { return starts.size() - 1; }
    /// Ends the group of the places that were added since the last.
    void close() { starts.push_back(places.size()); }
};

/// Group g of one half is paired with group g of the other; both have as many.
struct SplitHalves {
    PlaceGroups first, second;
};

/// The correlation of each column with the same column of another matrix.
using CorrelateColumns = std::vector<double> (*)(const stats::Matrix& x, const stats::Matrix& y);

/// splits × neuroids: r, by `correlate`, of the group means of both halves (NaN skipped in the
/// means, added up in the order of the places), then 2 r / (1 + r). A split without groups is NaN.
/// `rows` lists the presentations that the places are of; rows of a group are best neighbours
/// there, since that is the order they are copied in: one task takes sixteen neuroids through all
/// splits, and these and two halves of their means are all that is in memory beside the
/// presentations. Throws `core::InputError` if the values are strings.
std::vector<double> split_half_consistency(const PresentationView& presentations,
                                           const std::vector<std::size_t>& rows,
                                           const std::vector<SplitHalves>& splits,
                                           CorrelateColumns correlate, core::Workers& workers);

}  // namespace ventral::metrics
