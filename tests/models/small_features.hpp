#pragma once
/// @file
/// Features that a test writes down by hand.

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::test {

/// Presentations with these stimulus_id × as many neuroids as there are values for.
template <typename Real>
core::Assembly small_features(const std::vector<std::string>& ids,
                              const std::vector<Real>& values) {
    core::Assembly features;
    features.name = "features.nc";
    features.dims = {{"presentation", ids.size()}, {"neuroid", values.size() / ids.size()}};
    features.values = values;
    features.coordinates = {{"stimulus_id", "presentation", ids}};
    return features;
}

}  // namespace ventral::test
