#pragma once
/// @file
/// Arrays as one of their dimensions cuts them.

#include <cstddef>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// An array seen as [outer][size][inner].
struct AlongDimension {
    std::size_t outer = 1;
    std::size_t size = 0;
    std::size_t inner = 1;
};

inline AlongDimension along_dimension(const std::vector<Dimension>& dims, std::size_t index) {
    AlongDimension along;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (i < index) along.outer *= dims[i].size;
        if (i == index) along.size = dims[i].size;
        if (i > index) along.inner *= dims[i].size;
    }
    return along;
}

}  // namespace ventral::core
