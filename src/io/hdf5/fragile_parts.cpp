#include "io/hdf5/fragile_parts.hpp"

#include <exception>
#include <vector>

#include "io/activations/activations_file.hpp"
#include "io/hdf5/fixed_strings.hpp"
#include "io/netcdf/assembly_file.hpp"
#include "io/netcdf/assembly_group.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::io {
namespace {

/// Throws `InputError`.
AssemblyGroup group_of(const NetcdfFile& file, const std::optional<std::string>& layer) {
    return open_group(file, {{}, layer}, read_fixed_strings(file.path(), layer.value_or("/")));
}

template <typename Read>
void read_if_possible(const Read& read) {
    try {
        read();
    } catch (const std::exception&) {
        // Whoever wants these parts will say so.
    }
}

void read_tables(const std::string& path, const std::optional<std::string>& layer) {
    const auto file = NetcdfFile::open(path);
    for (const auto& variable : group_of(file, layer).variables) {
        if (variable.dims.size() < 2) continue;
        AssemblyRequest request;
        request.variable = variable.name;
        request.layer = layer;
        request.neuroid_labels = {"layer", "neuroid_id"};
        read_if_possible([&] { const AssemblyFile opened(path, request); });
    }
}

}  // namespace

void read_group_texts(const std::string& path, const std::optional<std::string>& layer) {
    const auto file = NetcdfFile::open(path);
    const auto group = group_of(file, layer);
    for (const auto& variable : group.variables)
        if (is_text(variable)) read_if_possible([&] { values_of(group, variable); });
}

void read_fragile_parts(const std::string& path) {
    std::vector<std::optional<std::string>> layers{std::nullopt};
    read_if_possible([&] {
        for (auto& group : assembly_groups(path)) layers.emplace_back(std::move(group));
    });
    for (const auto& layer : layers) {
        read_if_possible([&] { read_group_texts(path, layer); });
        read_if_possible([&] { read_tables(path, layer); });
    }
    read_if_possible([&] {
        if (!is_activations_file(path)) return;
        const ActivationsFile file(path);
        read_if_possible([&] { file.stimulus_ids(); });
        file.visual_degrees();
    });
}

}  // namespace ventral::io
