#include "core/assembly.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace ventral::core {
namespace {

std::string listed_or_none(const std::vector<std::string>& names) {
    return names.empty() ? "none" : joined(names);
}

std::vector<std::string> dimension_names(const Assembly& assembly) {
    std::vector<std::string> names;
    for (const auto& dim : assembly.dims) names.push_back(dim.name);
    return names;
}

std::vector<std::string> coordinate_names(const Assembly& assembly) {
    std::vector<std::string> names;
    for (const auto& entry : assembly.coordinates) names.push_back(entry.name);
    return names;
}

auto find_dimension(const Assembly& assembly, const std::string& dim) {
    return std::find_if(assembly.dims.begin(), assembly.dims.end(),
                        [&](const Dimension& candidate) { return candidate.name == dim; });
}

}  // namespace

std::size_t dimension_index(const Assembly& assembly, const std::string& dim) {
    const auto found = find_dimension(assembly, dim);
    if (found == assembly.dims.end()) {
        const auto names = dimension_names(assembly);
        throw InputError(assembly.name + ": no dimension '" + dim + "' (its dimensions: " +
                         listed_or_none(names) + ")" + near_names(dim, names));
    }
    return static_cast<std::size_t>(found - assembly.dims.begin());
}

void require_presentations_by_neuroids(const Assembly& assembly) {
    for (const auto* needed : {"presentation", "neuroid"}) dimension_index(assembly, needed);
    for (const auto& dim : assembly.dims)
        if (dim.name != "presentation" && dim.name != "neuroid" && dim.name != "time_bin")
            throw InputError(assembly.name + ": has the dimension '" + dim.name +
                             "' beside presentation, neuroid and time_bin (a table of "
                             "presentations by neuroids is needed) make it part of one of them");
}

std::size_t dimension_size(const Assembly& assembly, const std::string& dim) {
    return assembly.dims[dimension_index(assembly, dim)].size;
}

bool has_dimension(const Assembly& assembly, const std::string& dim) {
    return find_dimension(assembly, dim) != assembly.dims.end();
}

const Coordinate* find_coordinate(const Assembly& assembly, std::string_view name) {
    for (const auto& entry : assembly.coordinates) {
        if (entry.name == name) return &entry;
    }
    return nullptr;
}

const Coordinate* find_coordinate(const Assembly& assembly, std::string_view name,
                                  std::string_view dim) {
    const auto* found = find_coordinate(assembly, name);
    return found && found->dim == dim ? found : nullptr;
}

const Coordinate& coordinate(const Assembly& assembly, std::string_view name) {
    if (const auto* found = find_coordinate(assembly, name)) return *found;
    const auto names = coordinate_names(assembly);
    const std::string wanted(name);
    throw InputError(assembly.name + ": no coordinate '" + wanted + "' (its coordinates: " +
                     listed_or_none(names) + ")" + near_names(wanted, names));
}

std::vector<std::string> texts(const Assembly& assembly, const std::string& name) {
    const auto& values = coordinate(assembly, name).values;
    if (const auto* strings = std::get_if<std::vector<std::string>>(&values)) return *strings;
    std::vector<std::string> result(value_count(values));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = text(values, i);
    return result;
}

void check_consistent(const Assembly& assembly) {
    std::size_t expected = 1;
    for (const auto& dim : assembly.dims) expected *= dim.size;
    const auto count = value_count(assembly.values);
    if (count != expected) {
        throw InputError(assembly.name + ": " + std::to_string(count) + " values (its dimensions " +
                         listed_or_none(dimension_names(assembly)) + " hold " +
                         std::to_string(expected) + ") the file is damaged or was written wrongly");
    }
    for (const auto& entry : assembly.coordinates) {
        const auto labels = value_count(entry.values);
        const auto size = dimension_size(assembly, entry.dim);
        if (labels == size) continue;
        throw InputError(assembly.name + ": coordinate '" + entry.name + "' has " +
                         std::to_string(labels) + " labels (dimension '" + entry.dim + "' has " +
                         std::to_string(size) +
                         " entries) the file is damaged or was written wrongly");
    }
}

}  // namespace ventral::core
