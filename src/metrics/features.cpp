#include "metrics/features.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/errors.hpp"

namespace ventral::metrics {
namespace {

template <typename T>
ReadInto<T> read_from(const std::vector<T>& values, std::size_t columns) {
    return [&values, columns](std::size_t first, std::size_t count, std::span<T> out) {
        for (std::size_t row = 0; row * count < out.size(); ++row)
            std::copy_n(values.data() + row * columns + first, count, out.data() + row * count);
    };
}

/// Whole numbers as float64, which it keeps.
ReadInto<double> read_from(const std::vector<std::int64_t>& values, std::size_t columns) {
    const auto numbers = std::make_shared<std::vector<double>>(values.begin(), values.end());
    return [numbers, read = read_from(*numbers, columns)](std::size_t first, std::size_t count,
                                                          std::span<double> out) {
        read(first, count, out);
    };
}

std::string label_or(const core::Assembly& labels, const char* coordinate, std::size_t position,
                     const std::string& otherwise) {
    const auto* found = core::find_coordinate(labels, coordinate);
    return found ? " '" + core::text(found->values, position) + "'" : otherwise;
}

}  // namespace

std::string odd_feature_text(const core::Assembly& labels, const stats::OddFeature& odd) {
    return "feature " + std::to_string(odd.feature) +
           label_or(labels, "neuroid_id", odd.feature, "") + " is " +
           (std::isnan(odd.value) ? "NaN" : "infinite") + " at stimulus" +
           label_or(labels, "stimulus_id", odd.row, " number " + std::to_string(odd.row + 1)) +
           " (the features of all stimuli must be finite) check what made them, or leave the "
           "layer or the stimulus out";
}

Features features_in_memory(const core::Assembly& table, std::string place) {
    Features features;
    features.place = std::move(place);
    features.labels = {table.name, table.dims, {}, table.coordinates, table.attributes};
    const auto columns = table.dims[1].size;
    if (const auto* singles = std::get_if<std::vector<float>>(&table.values))
        features.read = read_from(*singles, columns);
    else if (const auto* doubles = std::get_if<std::vector<double>>(&table.values))
        features.read = read_from(*doubles, columns);
    else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&table.values))
        features.read = read_from(*integers, columns);
    else
        fail_type(table.values);
    return features;
}

void require_some(const Features& features) {
    if (features.rows() == 0 || features.columns() == 0)
        throw core::InputError("the model's features are empty");
}

void fail_type(const core::Values& values) {
    throw core::InputError("the features are " + core::type_name(values) +
                           " (float32 or float64 is needed)");
}

}  // namespace ventral::metrics
