#pragma once
/// @file
/// Which feature is to blame where a Gram cannot be built.

#include <cstddef>
#include <optional>

#include "stats/gram/gram.hpp"

namespace ventral::stats {

/// An entry that is NaN or infinite.
struct OddFeature {
    std::size_t row = 0;
    std::size_t feature = 0;
    double value = 0;
};

/// The first one, row by row within the first slab that has any; nothing if all are finite. Reads
/// everything once more: for when something is known to be wrong.
std::optional<OddFeature> find_odd_feature(std::size_t features, const ReadSlab& read);

}  // namespace ventral::stats
