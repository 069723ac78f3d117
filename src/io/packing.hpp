#pragma once
/// @file
/// How the numbers of a netCDF variable stand for values: the CF conventions as xarray applies
/// them.

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::io {

/// Numbers equal to one of `missing` are NaN, the others number · scale + offset.
struct Packing {
    std::vector<double> missing;
    double scale = 1;
    double offset = 0;

    bool is_plain() const { return missing.empty() && scale == 1 && offset == 0; }

    /// Turns numbers into values in place; `values` is a vector or span of float or double.
    template <typename Numbers>
    void decode(Numbers& values) const {
        if (is_plain()) return;
        for (auto& value : values) {
            using T = std::decay_t<decltype(value)>;
            const auto stored = static_cast<double>(value);
            const bool lost = std::find(missing.begin(), missing.end(), stored) != missing.end();
            value = lost ? std::numeric_limits<T>::quiet_NaN()
                         : static_cast<T>(stored * scale + offset);
        }
    }
};

/// The packing that a variable's attributes `_FillValue`, `missing_value`, `scale_factor` and
/// `add_offset` describe.
Packing packing_of(const std::map<std::string, core::Attribute>& attributes);

}  // namespace ventral::io
