#pragma once
/// @file
/// A model's features as metrics take them: labels at once, values by columns when they are needed,
/// wherever they lie.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "core/assembly.hpp"
#include "stats/gram/odd_feature.hpp"

namespace ventral::metrics {

/// Reads the columns [first, first + count) of all rows into `out`: rows × count, row by row.
template <typename T>
using ReadInto = std::function<void(std::size_t first, std::size_t count, std::span<T> out)>;

struct Features {
    std::string place;      ///< the file, for messages; may be empty
    core::Assembly labels;  ///< dims presentation, neuroid; `values` is not looked at
    /// Called by one thread after the other, never by two at once; not always by the main thread.
    std::variant<ReadInto<float>, ReadInto<double>> read;

    /// Memory that reading so many columns at a time takes beside `out`.
    std::function<std::size_t(std::size_t count)> reading_bytes = [](std::size_t) { return 0; };
    /// Memory that would keep reading so many columns at a time from doing anything twice, and how
    /// to grant it.
    std::function<std::size_t(std::size_t count)> useful_cache = [](std::size_t) { return 0; };
    std::function<void(std::size_t bytes)> use_cache = [](std::size_t) {};

    std::size_t rows() const { return labels.dims[0].size; }
    std::size_t columns() const { return labels.dims[1].size; }
    std::size_t value_bytes() const {
        return std::holds_alternative<ReadInto<float>>(read) ? sizeof(float) : sizeof(double);
    }
};

/// The features of an assembly in memory, which must outlive them: dims as
/// `presentation_by_neuroid` gives them. Whole numbers are float64. Throws `core::InputError` for
/// strings.
Features features_in_memory(const core::Assembly& table, std::string place = {});

/// An entry that is NaN or infinite, for messages: its feature and stimulus by the labels
/// `neuroid_id` and `stimulus_id` if there are any, and what to do.
std::string odd_feature_text(const core::Assembly& labels, const stats::OddFeature& odd);

/// Throws `core::InputError` if there are no features.
void require_some(const Features& features);

/// What is thrown for features of another type than float32 and float64.
[[noreturn]] void fail_type(const core::Values& values);

}  // namespace ventral::metrics
