#include "io/hdf5/fixed_strings.hpp"
#include "io/hdf5/fragile_parts.hpp"
#include "io/hdf5/survivable.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/assembly_group.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::io {
core::Assembly read_assembly(const std::string& path, const AssemblyRequest& request) {
    require_regular_file(path);
    if (!NetcdfFile::is_open(path))
        require_survivable(path, [&] { read_group_texts(path, request.layer); });
    auto fixed_strings = read_fixed_strings(path, request.layer.value_or("/"));
    const auto file = NetcdfFile::open(path);
    const auto group = open_group(file, request.layer, std::move(fixed_strings));
    const auto& data = data_variable(group, request);
    auto assembly = labels_of(group, data);
    assembly.values = values_of(group, data);
    std::visit(
        [&](const auto& values) {
            using Entry = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_floating_point_v<Entry>)
                require_written(file, data, std::span<const Entry>(values));
        },
        assembly.values);
    return assembly;
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
