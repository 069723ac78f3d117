#pragma once
/// @file
/// Features as readouts take them: a table of presentations and neuroids in the type that the
/// features have.

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "stats/linear_algebra/row_table.hpp"

namespace ventral::models {

/// `features` as presentation × neuroid, without a time bin of size 1. Throws `core::InputError`
/// for other dimensions, for text, for no presentation or neuroid, and naming the presentation for
/// a NaN or infinity. Whole numbers become float64, as for scikit-learn.
core::Assembly readout_features(const core::Assembly& features);

/// The values of what `readout_features` returns, which must be of type `Real`.
template <typename Real>
stats::RowTable<Real> feature_table(const core::Assembly& features) {
    return Eigen::Map<const stats::RowTable<Real>>(
        std::get<std::vector<Real>>(features.values).data(),
        static_cast<Eigen::Index>(features.dims[0].size),
        static_cast<Eigen::Index>(features.dims[1].size));
}

/// The entries of a table, row by row.
template <typename Real>
std::vector<Real> values_of(const stats::RowTable<Real>& table) {
    return {table.data(), table.data() + table.size()};
}

/// The first of the largest, where NaN is larger than any other, as NumPy's argmax.
template <typename Real>
std::size_t first_largest(std::span<const Real> values) {
    std::size_t largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) return i;
        if (values[i] > values[largest]) largest = i;
    }
    return largest;
}

/// Throws `core::InputError` naming the presentation of `features` if an entry of a table that was
/// made of them, "standardised features", has overflowed its type.
template <typename Real>
void check_not_overflowed(const stats::RowTable<Real>& table, const core::Assembly& features,
                          const std::string& of_what);

/// Appends `added`, in place of any coordinate of the same name.
void put_coordinate(std::vector<core::Coordinate>& coordinates, core::Coordinate added);

/// The coordinates along `presentation` but for one named `choice`, which is the dimension of what
/// is read out.
std::vector<core::Coordinate> presentation_coordinates(const core::Assembly& features);

/// One choice per presentation, choice × presentation as Brain-Score has it.
core::Assembly choices_of(core::Values choices, std::vector<core::Coordinate> along_presentation);

}  // namespace ventral::models
