#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "io/hdf5/fixed_strings.hpp"
#include "io/hdf5/fragile_parts.hpp"
#include "io/hdf5/survivable.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/assembly_group.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "io/netcdf/netcdf_part.hpp"

namespace ventral::io {
namespace {

/// Each once, in the order of the file.
core::Positions in_order(core::Positions positions) {
    for (auto& [dim, of_dim] : positions) {
        std::sort(of_dim.begin(), of_dim.end());
        of_dim.erase(std::unique(of_dim.begin(), of_dim.end()), of_dim.end());
    }
    return positions;
}

core::Values whole_values(const AssemblyGroup& group, const NetcdfVariable& data) {
    auto values = values_of(group, data);
    std::visit(
        [&](const auto& entries) {
            using Entry = typename std::decay_t<decltype(entries)>::value_type;
            if constexpr (std::is_floating_point_v<Entry>)
                require_written(group.file, data, std::span<const Entry>(entries));
        },
        values);
    return values;
}

/// Calls `use` with the group, the variable of the data and its labels.
template <typename Use>
core::Assembly with_labels(const std::string& path, const AssemblyRequest& request,
                           const Use& use) {
    require_regular_file(path);
    if (!NetcdfFile::is_open(path))
        require_survivable(path, [&] { read_group_texts(path, request.layer); });
    auto fixed_strings = read_fixed_strings(path, request.layer.value_or("/"));
    const auto file = NetcdfFile::open(path);
    const auto group = open_group(file, request, std::move(fixed_strings));
    const auto& data = data_variable(group, request);
    auto assembly = labels_of(group, data);
    if (!request.name.empty()) assembly.name = request.name;
    return use(group, data, std::move(assembly));
}

core::Assembly read_part_of(const AssemblyGroup& group, const NetcdfVariable& data,
                            core::Assembly assembly, const PartWanted& wanted) {
    const bool has_parts = is_readable_in_parts(data);
    core::Positions positions;
    if (wanted)
        positions = in_order(wanted(assembly, has_parts ? part_bytes_at_once(group, data) : 0));
    const bool reads_part = !positions.empty() && has_parts;
    if (!reads_part) assembly.values = whole_values(group, data);
    assembly = core::take(std::move(assembly), positions);
    if (reads_part) assembly.values = read_part(group, data, positions);
    return assembly;
}

}  // namespace

core::Assembly read_assembly(const std::string& path, const AssemblyRequest& request,
                             const PartWanted& wanted) {
    return with_labels(path, request,
                       [&](const auto& group, const auto& data, core::Assembly labels) {
                           return read_part_of(group, data, std::move(labels), wanted);
                       });
}

core::Assembly read_labels(const std::string& path, const AssemblyRequest& request) {
    return with_labels(
        path, request, [&](const auto& group, const auto& data, core::Assembly labels) {
            labels.values =
                no_values({group.file, group.id, data, read_packing(group.file, group.id, data)});
            return labels;
        });
}

std::vector<std::string> assembly_groups(const std::string& path) {
    const auto file = NetcdfFile::open(path);
    return group_names(file, file.id());
}

std::vector<std::string> layer_groups(const std::string& path) {
    require_regular_file(path);
    const auto read = [&] {
        const auto file = NetcdfFile::open(path);
        return list_variables(file, file.id()).empty() ? group_names(file, file.id())
                                                       : std::vector<std::string>{};
    };
    const auto read_all = [&] {
        for (const auto& group : read()) read_group_texts(path, group);
    };
    if (!NetcdfFile::is_open(path)) require_survivable(path, read_all);
    return read();
}

}  // namespace ventral::io
