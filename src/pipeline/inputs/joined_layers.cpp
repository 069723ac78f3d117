#include "pipeline/inputs/joined_layers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

constexpr auto neuroid = "neuroid";
constexpr auto layer_label = "layer";

/// The dims of a layer, neuroid last.
std::vector<std::string> joined_order(const core::Assembly& layer) {
    std::vector<std::string> order;
    for (const auto& dim : layer.dims)
        if (dim.name != neuroid) order.push_back(dim.name);
    order.emplace_back(neuroid);
    return order;
}

bool is_in_order(const core::Assembly& layer, const std::vector<std::string>& order) {
    return std::equal(layer.dims.begin(), layer.dims.end(), order.begin(), order.end(),
                      [](const auto& dim, const auto& name) { return dim.name == name; });
}

bool have_same_labels(const core::Assembly& first, const core::Assembly& other,
                      const std::string& dim, const std::string& name) {
    const auto* labels = core::find_coordinate(first, name, dim);
    const auto* others = core::find_coordinate(other, name, dim);
    return labels && others ? labels->values == others->values : labels == others;
}

bool go_together(const core::Assembly& first, const core::Assembly& other) {
    const auto has_same = [&](const core::Dimension& dim) {
        return core::has_dimension(other, dim.name) &&
               (dim.name == neuroid || core::dimension_size(other, dim.name) == dim.size);
    };
    return first.dims.size() == other.dims.size() &&
           std::all_of(first.dims.begin(), first.dims.end(), has_same) &&
           first.values.index() == other.values.index() &&
           have_same_labels(first, other, "presentation", "stimulus_id") &&
           have_same_labels(first, other, "time_bin", "time_bin_start") &&
           have_same_labels(first, other, "time_bin", "time_bin_end");
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

LayerJoin::LayerJoin(std::string path, const std::string& name, core::Assembly layer)
    : path_(std::move(path)), order_(joined_order(layer)) {
    append(name, layer);
    first_ = std::move(layer);
}

void LayerJoin::add(const std::string& name, core::Assembly layer) {
    if (!go_together(first_, layer))
        throw core::InputError(path_ + ": the layers '" + names_.front() + "' and '" + name +
                               "' are not of the same stimuli, times and type of values");
    append(name, layer);
}

/// Takes the values, which leaves none of their type.
void LayerJoin::append(const std::string& name, core::Assembly& layer) {
    if (!core::has_dimension(layer, neuroid) || core::dimension_size(layer, neuroid) == 0)
        throw core::InputError(path_ + ": layer '" + name + "' has no neuroids");
    names_.push_back(name);
    widths_.push_back(core::dimension_size(layer, neuroid));
    if (core::value_count(layer.values) > 0 && !is_in_order(layer, order_))
        layer = core::transpose(layer, order_);
    tables_.push_back(std::move(layer.values));
    std::visit([](auto& values) { values.clear(); }, layer.values);
}

core::Assembly LayerJoin::take() {
    auto joined = std::move(first_);
    const auto neuroids = std::accumulate(widths_.begin(), widths_.end(), std::size_t{0});
    std::vector<std::string> labels;
    labels.reserve(neuroids);
    for (std::size_t i = 0; i < names_.size(); ++i)
        labels.insert(labels.end(), widths_[i], names_[i]);
    std::erase_if(joined.coordinates, [](const auto& each) {
        return each.dim == neuroid || each.name == layer_label;  // of the stimuli's table
    });
    joined.coordinates.push_back({layer_label, neuroid, std::move(labels)});

    std::vector<core::Dimension> dims;
    for (const auto& dim : order_) dims.push_back({dim, core::dimension_size(joined, dim)});
    dims.back().size = neuroids;
    joined.dims = std::move(dims);
    joined.values = std::visit(
        [&](const auto& values) -> core::Values {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            return side_by_side<Value>(std::exchange(tables_, {}), widths_);
        },
        joined.values);
    return joined;
}

}  // namespace ventral::pipeline
