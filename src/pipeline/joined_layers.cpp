#include "pipeline/joined_layers.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

constexpr auto neuroid = "neuroid";

/// The dims of a layer, neuroid last.
std::vector<std::string> joined_order(const core::Assembly& layer) {
    std::vector<std::string> order;
    for (const auto& dim : layer.dims)
        if (dim.name != neuroid) order.push_back(dim.name);
    order.emplace_back(neuroid);
    return order;
}

bool are_alike(const core::Assembly& first, const core::Assembly& other) {
    if (first.dims.size() != other.dims.size() || first.values.index() != other.values.index())
        return false;
    for (const auto& dim : first.dims)
        if (!core::has_dimension(other, dim.name) ||
            (dim.name != neuroid && core::dimension_size(other, dim.name) != dim.size))
            return false;
    for (const auto* name : {"stimulus_id", "time_bin_start", "time_bin_end"}) {
        const auto* label = core::find_coordinate(first, name);
        const auto* others = core::find_coordinate(other, name);
        if (!label != !others || (label && label->values != others->values)) return false;
    }
    return true;
}

void require_alike(const std::string& path, const std::vector<NamedLayer>& layers) {
    const auto& first = layers.front();
    for (const auto& layer : layers) {
        if (!core::has_dimension(layer.features, neuroid))
            throw core::InputError(path + ": layer '" + layer.name +
                                   "' has no dimension 'neuroid'");
        if (!are_alike(first.features, layer.features))
            throw core::InputError(path + ": the layers '" + first.name + "' and '" + layer.name +
                                   "' are not of the same stimuli, times and type of values");
    }
}

/// Rows of all tables side by side; `widths` are those of theirs.
template <typename T>
std::vector<T> side_by_side(const std::vector<core::Values>& tables,
                            const std::vector<std::size_t>& widths) {
    std::size_t size = 0;
    for (const auto& table : tables) size += core::value_count(table);
    std::vector<T> joined;
    joined.reserve(size);
    for (std::size_t row = 0; joined.size() < size; ++row)
        for (std::size_t t = 0; t < tables.size(); ++t) {
            const T* begin = std::get<std::vector<T>>(tables[t]).data() + row * widths[t];
            joined.insert(joined.end(), begin, begin + widths[t]);
        }
    return joined;
}

}  // namespace

core::Assembly join_layers(const std::string& path, const std::vector<NamedLayer>& layers) {
    require_alike(path, layers);
    const auto& first = layers.front().features;
    const auto order = joined_order(first);
    core::Assembly joined{first.name, {}, {}, {}, first.attributes};
    for (const auto& dim : order) joined.dims.push_back({dim, core::dimension_size(first, dim)});
    for (const auto& coordinate : first.coordinates)
        if (coordinate.dim != neuroid) joined.coordinates.push_back(coordinate);

    std::vector<std::string> names;
    std::vector<std::size_t> widths;
    std::vector<core::Values> tables;
    for (const auto& [name, features] : layers) {
        widths.push_back(core::dimension_size(features, neuroid));
        names.insert(names.end(), widths.back(), name);
        const bool has_values = core::value_count(features.values) > 0;
        tables.push_back(has_values ? core::transpose(features, order).values : features.values);
    }
    joined.dims.back().size = names.size();
    joined.coordinates.push_back({"layer", neuroid, std::move(names)});
    joined.values = std::visit(
        [&](const auto& values) -> core::Values {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            return side_by_side<Value>(tables, widths);
        },
        first.values);
    return joined;
}

}  // namespace ventral::pipeline
