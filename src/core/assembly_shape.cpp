#include <algorithm>
#include <cassert>

#include "core/along_dimension.hpp"
#include "core/assembly.hpp"
#include "core/errors.hpp"

namespace ventral::core {
namespace {

std::size_t product(const std::vector<Dimension>& dims, std::size_t first, std::size_t last) {
    std::size_t size = 1;
    for (auto i = first; i < last; ++i) size *= dims[i].size;
    return size;
}

/// How far apart neighbours along each dimension lie in memory.
std::vector<std::size_t> strides(const std::vector<Dimension>& dims) {
    std::vector<std::size_t> result(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) result[i] = product(dims, i + 1, dims.size());
    return result;
}

/// Calls `use` with where each value of an array with `order`ed dimensions lies in the original, in
/// storage order.
template <typename Use>
void visit_transposed(const std::vector<Dimension>& dims, const std::vector<std::size_t>& order,
                      const Use& use) {
    const auto stride = strides(dims);
    const auto visit = [&](auto& self, std::size_t depth, std::size_t start) -> void {
        if (depth == order.size()) return use(start);
        for (std::size_t i = 0; i < dims[order[depth]].size; ++i)
            self(self, depth + 1, start + i * stride[order[depth]]);
    };
    visit(visit, 0, 0);
}

}  // namespace

Assembly take(const Assembly& assembly, const std::string& dim,
              const std::vector<std::size_t>& positions) {
    const auto index = dimension_index(assembly, dim);
    const auto along = along_dimension(assembly.dims, index);
    assert(std::all_of(positions.begin(), positions.end(), [&](auto i) { return i < along.size; }));

    Assembly result{assembly.name, assembly.dims, {}, {}, assembly.attributes};
    result.dims[index].size = positions.size();
    result.values = std::visit(
        [&](const auto& values) -> Values {
            std::decay_t<decltype(values)> taken;
            if (values.empty()) return taken;
            taken.reserve(along.outer * positions.size() * along.inner);
            for (std::size_t block = 0; block < along.outer; ++block) {
                for (const auto position : positions) {
                    const auto row =
                        values.begin() +
                        static_cast<std::ptrdiff_t>((block * along.size + position) * along.inner);
                    taken.insert(taken.end(), row, row + static_cast<std::ptrdiff_t>(along.inner));
                }
            }
            return taken;
        },
        assembly.values);
    for (const auto& entry : assembly.coordinates) {
        auto labels = entry.dim == dim ? take(entry.values, positions) : entry.values;
        result.coordinates.push_back({entry.name, entry.dim, std::move(labels)});
    }
    return result;
}

Assembly transpose(const Assembly& assembly, const std::vector<std::string>& dims) {
    if (dims.size() != assembly.dims.size()) {
        throw InputError(assembly.name + ": cannot be transposed to " +
                         std::to_string(dims.size()) + " dimensions (it has " +
                         std::to_string(assembly.dims.size()) + ") name each of them once");
    }
    std::vector<std::size_t> order;
    order.reserve(dims.size());
    for (const auto& dim : dims) order.push_back(dimension_index(assembly, dim));
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        throw InputError(assembly.name +
                         ": cannot be transposed (a dimension is named twice) name each once");
    }
    if (std::is_sorted(order.begin(), order.end())) return assembly;

    Assembly result{assembly.name, {}, {}, assembly.coordinates, assembly.attributes};
    for (const auto index : order) result.dims.push_back(assembly.dims[index]);
    result.values = std::visit(
        [&](const auto& values) -> Values {
            std::decay_t<decltype(values)> turned;
            turned.reserve(values.size());
            visit_transposed(assembly.dims, order,
                             [&](std::size_t place) { turned.push_back(values[place]); });
            return turned;
        },
        assembly.values);
    return result;
}

Assembly squeeze(const Assembly& assembly, const std::string& dim) {
    const auto index = dimension_index(assembly, dim);
    const auto size = assembly.dims[index].size;
    if (size != 1) {
        throw InputError(assembly.name + ": dimension '" + dim + "' has " + std::to_string(size) +
                         " entries (1 is needed here) select one of them");
    }
    auto result = assembly;
    result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(index));
    std::erase_if(result.coordinates, [&](const Coordinate& entry) { return entry.dim == dim; });
    return result;
}

}  // namespace ventral::core
