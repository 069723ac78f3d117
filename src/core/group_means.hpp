#pragma once
/// @file
/// Means over groups of the rows along one dimension.

#include <cstddef>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// Group g is the rows `order[starts[g]]` … `order[starts[g + 1] - 1]`; a row may be in several.
struct RowGroups {
    std::vector<std::size_t> order;
    std::vector<std::size_t> starts;

    std::size_t count() const { return starts.size() - 1; }
};

/// The values with the groups in place of the rows along `dim`: means in float64, added up in the
/// groups' order, NaN skipped, all NaN = NaN. Throws `InputError` if the values are strings.
std::vector<double> group_means(const Assembly& assembly, const std::string& dim,
                                const RowGroups& groups);

}  // namespace ventral::core
