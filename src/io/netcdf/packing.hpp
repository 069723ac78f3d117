#pragma once
/// @file
/// How the numbers of a netCDF variable stand for values: the CF conventions as xarray applies
/// them.

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace ventral::io {

/// Bump when a value comes out as other bits, or another variable as a coordinate.
inline constexpr int unpacking_version = 3;

/// `count` integers from `least` on, stored as a type of as many bits and the other sign.
struct IntegerRange {
    double least = 0;
    double count = 0;
};

/// Numbers equal to one of `missing` are NaN, the others number · scale + offset; of integers with
/// a `range` that of the same bits in it is meant, also in `missing`.
struct Packing {
    std::vector<double> missing;
    double scale = 1;
    double offset = 0;
    std::optional<IntegerRange> range;
    bool in_float32 = false;  ///< the product, and then the sum, are rounded to float32

    bool is_plain() const { return keeps_integers() && !range; }
    /// Whether the values of integers are integers that int64 and float64 can hold.
    bool keeps_integers() const { return missing.empty() && keeps_present_integers(); }
    /// The same of values that are not missing.
    bool keeps_present_integers() const {
        constexpr double most = 4294967296;  // of 32 bits
        return scale == 1 && offset == 0 && (!range || range->count <= most);
    }
    bool is_missing(double stored) const {
        return std::find(missing.begin(), missing.end(), stored) != missing.end();
    }

    double in_range(double stored) const {
        if (!range) return stored;
        if (stored < range->least) return stored + range->count;
        return stored < range->least + range->count ? stored : stored - range->count;
    }

    /// Turns numbers into values in place; `values` is a vector or span of float or double, or of
    /// int64 where integers are kept.
    template <typename Numbers>
    void decode(Numbers& values) const {
        if (is_plain()) return;
        for (auto& value : values) {
            using T = std::decay_t<decltype(value)>;
            const auto stored = in_range(static_cast<double>(value));
            value = is_missing(stored) ? std::numeric_limits<T>::quiet_NaN()
                                       : static_cast<T>(unpacked(stored));
        }
    }

private:
    double unpacked(double stored) const {
        if (!in_float32) return stored * scale + offset;
        const float product = static_cast<float>(stored) * static_cast<float>(scale);
        return product + static_cast<float>(offset);
    }
};

}  // namespace ventral::io
