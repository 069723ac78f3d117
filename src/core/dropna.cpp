#include "core/dropna.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "core/along_dimension.hpp"
#include "core/errors.hpp"

namespace ventral::core {
namespace {

template <typename T>
bool has_nan(const T* values, std::size_t count) {
    if constexpr (std::is_floating_point_v<T>)
        return std::any_of(values, values + count, [](T value) { return std::isnan(value); });
    else
        return false;
}

template <typename T>
std::vector<std::size_t> measured(const std::vector<T>& values, const AlongDimension& layout) {
    std::vector<char> is_measured(layout.size, 1);
    for (std::size_t block = 0; block < layout.outer; ++block)
        for (std::size_t i = 0; i < layout.size; ++i)
            if (has_nan(values.data() + (block * layout.size + i) * layout.inner, layout.inner))
                is_measured[i] = 0;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < layout.size; ++i)
        if (is_measured[i]) positions.push_back(i);
    return positions;
}

}  // namespace

Assembly dropna(Assembly assembly, const std::string& dim) {
    const auto layout = along_dimension(assembly.dims, dimension_index(assembly, dim));
    const auto positions =
        std::visit([&](const auto& values) { return measured(values, layout); }, assembly.values);
    if (positions.size() == layout.size) return assembly;
    if (positions.empty())
        throw InputError(assembly.name + ": nothing is left of dimension '" + dim +
                         "' (each of its " + std::to_string(layout.size) +
                         " entries has a NaN) select what has none along another dimension");
    return take(assembly, dim, positions);
}

}  // namespace ventral::core
