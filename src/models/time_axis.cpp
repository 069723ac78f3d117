#include "models/time_axis.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/errors.hpp"

namespace ventral::models {
namespace {

using Size = LayerShape::const_iterator;

std::size_t product(Size begin, Size end) {
    return static_cast<std::size_t>(
        std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>()));
}

std::string shape_text(const LayerShape& shape) {
    std::string text = "[batch";
    for (const auto size : shape) text += " x " + std::to_string(size);
    return text + "]";
}

}  // namespace

LayerShape shape_in_time_bin(const LayerShape& shape, const ModelRecord& model,
                             const std::string& layer) {
    const auto& [axis, bins] = *model.time;
    const auto complain = [&](const std::string& what) {
        throw core::InputError(model.origin + ": layer '" + layer + "' gives " + shape_text(shape) +
                               ", but [time] " + what);
    };
    if (axis > shape.size()) complain("says that axis " + std::to_string(axis) + " is time");
    const auto steps = shape.begin() + static_cast<std::ptrdiff_t>(axis) - 1;
    if (static_cast<std::size_t>(*steps) != bins.size())
        complain("has " + std::to_string(bins.size()) + " bins for axis " + std::to_string(axis));
    LayerShape rest(shape.begin(), steps);
    rest.insert(rest.end(), steps + 1, shape.end());
    return rest.empty() ? LayerShape{1} : rest;
}

LayerOutput time_first(const LayerOutput& output, const ModelRecord& model,
                       const std::string& layer) {
    LayerOutput result{shape_in_time_bin(output.shape, model, layer), {}};
    const auto axis = output.shape.begin() + static_cast<std::ptrdiff_t>(model.time->axis) - 1;
    const std::size_t before = product(output.shape.begin(), axis);
    const std::size_t after = product(axis + 1, output.shape.end());
    const std::size_t bins = model.time->bins.size();
    result.values.resize(output.values.size());
    auto* to = result.values.data();
    const std::size_t of_stimulus = before * bins * after;
    for (std::size_t first = 0; first < output.values.size(); first += of_stimulus)
        for (std::size_t bin = 0; bin < bins; ++bin)
            for (std::size_t i = 0; i < before; ++i)
                to =
                    std::copy_n(output.values.data() + first + (i * bins + bin) * after, after, to);
    return result;
}

}  // namespace ventral::models
