#pragma once
/// @file
/// What there is in place of a coordinate that an assembly lacks.

#include <string>

#include "core/assembly.hpp"
#include "core/text.hpp"

namespace ventral::core {

/// Names of the coordinates along `dim`, for people: "stimulus_id, session", or "none".
inline std::string coordinates_along(const Assembly& assembly, const std::string& dim) {
    std::string names;
    for (const auto& entry : assembly.coordinates)
        if (entry.dim == dim) add_part(names, entry.name);
    return names.empty() ? "none" : names;
}

}  // namespace ventral::core
