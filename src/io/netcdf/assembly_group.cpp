#include "io/netcdf/assembly_group.hpp"

#include <algorithm>
#include <sstream>

#include <netcdf.h>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/known_names.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "io/netcdf/netcdf_layout.hpp"

namespace ventral::io {
namespace {

using NetcdfVariables = std::vector<NetcdfVariable>;

// What xarray calls an array without a name, and where it puts a name that a coordinate has too.
constexpr auto unnamed_variable = "__xarray_dataarray_variable__";
constexpr auto name_attribute = "__xarray_dataarray_name__";

/// Of a file without groups: why a layer cannot be one of them.
std::string without_groups(const NetcdfFile& file) {
    const auto variables = list_variables(file, file.id());
    const bool has_labels = std::any_of(variables.begin(), variables.end(),
                                        [](const auto& each) { return each.name == "layer"; });
    return has_labels ? " (groups are chosen so, not parts of its coordinate 'layer') select the "
                        "layer's neuroids beforehand"
                      : " (it has no groups at all)";
}

int find_group(const NetcdfFile& file, const std::optional<std::string>& layer) {
    if (!layer) return file.id();
    const auto names = group_names(file, file.id());
    if (std::find(names.begin(), names.end(), *layer) == names.end()) {
        throw core::InputError(
            file.path() + ": has no layer '" + *layer + "'" +
            (names.empty() ? without_groups(file) : core::known_names(*layer, names)));
    }
    int group = -1;
    check_netcdf(nc_inq_grp_ncid(file.id(), layer->c_str(), &group), file.path(),
                 "open the layer '" + *layer + "'");
    return group;
}

void add_names(const Attributes& attributes, std::set<std::string>& names) {
    const auto found = attributes.find("coordinates");
    if (found == attributes.end()) return;
    const auto* text = std::get_if<std::string>(&found->second);
    if (!text) return;
    std::istringstream words(*text);
    for (std::string word; words >> word;) names.insert(word);
}

bool is_index(const NetcdfVariable& variable) {
    return variable.dims.size() == 1 && variable.dims[0].name == variable.name;
}

std::set<std::string> stated_coordinates(const NetcdfFile& file, int group,
                                         const NetcdfVariables& variables) {
    std::set<std::string> names;
    add_names(read_attributes(file, group, std::nullopt), names);
    for (const auto& variable : variables) add_names(read_attributes(file, group, variable), names);
    return names;
}

bool is_coordinate(const AssemblyGroup& group, const NetcdfVariable& variable) {
    return is_index(variable) || group.coordinates.contains(variable.name);
}

/// Whether a variable that is not stated to be a coordinate may be one: of a file that states none,
/// and of ours by a name that cannot be stated. What xarray leaves out is data.
bool may_be_unstated(const AssemblyGroup& group, const NetcdfVariable& variable) {
    return group.coordinates.empty() || (group.is_of_extract && !can_be_stated(variable.name));
}

bool along(const NetcdfVariable& variable, const NetcdfVariable& of) {
    if (variable.dims.size() != 1) return false;
    const auto same = [&](const core::Dimension& dim) { return dim.name == variable.dims[0].name; };
    return std::any_of(of.dims.begin(), of.dims.end(), same);
}

/// A label of each entry, or of all of them.
bool is_label_of(const NetcdfVariable& variable, const NetcdfVariable& of) {
    return variable.dims.empty() || along(variable, of);
}

/// The only candidate, or the only one with several dims where all others are labels of it.
const NetcdfVariable* only_one(const std::vector<const NetcdfVariable*>& candidates) {
    if (candidates.size() == 1) return candidates[0];
    const NetcdfVariable* widest = nullptr;
    for (const auto* candidate : candidates) {
        if (candidate->dims.size() < 2) continue;
        if (widest) return nullptr;
        widest = candidate;
    }
    const auto is_label = [&](const auto* other) {
        return other == widest || is_label_of(*other, *widest);
    };
    const bool found = widest && std::all_of(candidates.begin(), candidates.end(), is_label);
    return found ? widest : nullptr;
}

const std::string& label_name(const AssemblyGroup& group, const NetcdfVariable& variable) {
    const auto renamed = group.renamed.find(variable.name);
    return renamed == group.renamed.end() ? variable.name : renamed->second;
}

/// Those that could be the data.
std::vector<const NetcdfVariable*> candidates_of(const AssemblyGroup& group) {
    std::vector<const NetcdfVariable*> candidates;
    for (const auto& variable : group.variables)
        if (!is_coordinate(group, variable)) candidates.push_back(&variable);
    return candidates;
}

std::vector<std::string> names_of(const std::vector<const NetcdfVariable*>& variables) {
    std::vector<std::string> names;
    for (const auto* variable : variables) names.push_back(variable->name);
    return names;
}

const NetcdfVariable& named_variable(const AssemblyGroup& group, const std::string& name) {
    for (const auto& variable : group.variables) {
        if (variable.name == name) return variable;
    }
    throw core::InputError(group.file.path() + ": has no variable '" + name + "'" +
                           core::known_names(name, names_of(candidates_of(group))));
}

std::string choose_with(const std::string& choice) {
    return choice.empty() ? "" : "; choose one with " + choice;
}

const NetcdfVariable& choose_variable(const AssemblyGroup& group, const AssemblyRequest& request) {
    const auto candidates = candidates_of(group);
    if (const auto* found = only_one(candidates)) return *found;
    const auto& path = group.file.path();
    if (!candidates.empty()) {
        throw core::InputError(path + ": several variables could be the data (" +
                               core::joined(names_of(candidates)) + ")" +
                               choose_with(request.variable_choice));
    }
    const auto groups = group_names(group.file, group.id);
    throw core::InputError(path + ": has no data variable" +
                           (groups.empty() ? " (all its variables are coordinates)"
                                           : " but the groups " + core::joined(groups) +
                                                 choose_with(request.layer_choice)));
}

core::Values widened(core::Values values) {
    if (const auto* singles = std::get_if<std::vector<float>>(&values)) {
        return std::vector<double>(singles->begin(), singles->end());
    }
    return values;
}

core::Attribute first_as_attribute(const core::Values& values) {
    return std::visit(
        [](const auto& entries) -> core::Attribute {
            using Entry = std::decay_t<decltype(entries.front())>;
            if constexpr (std::is_same_v<Entry, float>) {
                return static_cast<double>(entries.front());
            } else {
                return entries.front();
            }
        },
        values);
}

/// Whether it is a coordinate in the assembly of `data`.
bool is_coordinate_of(const AssemblyGroup& group, const NetcdfVariable& variable,
                      const NetcdfVariable& data) {
    if (variable.id == data.id) return false;
    const bool is_label = data.dims.size() > 1 && is_label_of(variable, data);
    return is_coordinate(group, variable) || (is_label && may_be_unstated(group, variable));
}

/// Throws unless what is renamed or dropped is there, and no two have one name then.
void check_renamed(const AssemblyGroup& group, const NetcdfVariable& data) {
    std::vector<std::string> names;
    for (const auto& variable : group.variables)
        if (is_coordinate_of(group, variable, data) && along(variable, data))
            names.push_back(variable.name);
    const auto has = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::set<std::string> taken;
    for (const auto& [from, to] : group.renamed) {
        if (!has(from))
            throw core::InputError(group.file.path() + ": has no coordinate '" + from + "' to " +
                                   (to.empty() ? "drop" : "rename") +
                                   core::known_names(from, names));
        if (to.empty()) continue;
        if ((has(to) && !group.renamed.contains(to)) || !taken.insert(to).second)
            throw core::InputError(group.file.path() + ": '" + from + "' cannot be renamed to '" +
                                   to + "' (another coordinate has that name)");
    }
}

void add_coordinates(const AssemblyGroup& group, const NetcdfVariable& data,
                     const std::string& left_out, const std::set<std::string>& kept,
                     core::Assembly& assembly) {
    for (const auto& variable : group.variables) {
        if (label_name(group, variable).empty()) continue;
        if (variable.dims.size() == 1 && variable.dims[0].name == left_out &&
            !kept.contains(label_name(group, variable)))
            continue;
        if (!is_coordinate_of(group, variable, data)) continue;
        if (!is_readable(variable) || variable.dims.size() > 1) {
            core::log(core::LogLevel::debug, group.file.path() + ": coordinate '" + variable.name +
                                                 "' left out (its type or its several dims)");
        } else if (variable.dims.empty()) {
            assembly.attributes.emplace(variable.name,
                                        first_as_attribute(values_of(group, variable)));
        } else if (along(variable, data)) {
            assembly.coordinates.push_back({label_name(group, variable), variable.dims[0].name,
                                            widened(values_of(group, variable))});
        }
    }
}

void add_attributes(const Attributes& attributes, core::Assembly& assembly) {
    for (const auto& [name, value] : attributes) {
        if (!is_encoding(name)) assembly.attributes.emplace(name, value);
    }
}

void choose_name(const NetcdfVariable& data, core::Assembly& assembly) {
    assembly.name = data.name == unnamed_variable ? "data" : data.name;
    const auto found = assembly.attributes.find(name_attribute);
    if (found == assembly.attributes.end()) return;
    if (const auto* name = std::get_if<std::string>(&found->second)) assembly.name = *name;
    assembly.attributes.erase(found);
}

/// Older BrainIO assemblies call the stimulus an image.
void rename_image_id(core::Assembly& assembly) {
    if (core::find_coordinate(assembly, "stimulus_id")) return;
    for (auto& coordinate : assembly.coordinates) {
        if (coordinate.name == "image_id") coordinate.name = "stimulus_id";
    }
}

/// Whether it is a file of activations. Ours have all of their space from the start, so that one
/// may have been left unfinished.
bool is_of_extract(const NetcdfFile& file) {
    const auto attributes = read_attributes(file, file.id(), std::nullopt);
    const auto finished = attributes.find("finished");
    if (!attributes.count("format_version") || finished == attributes.end()) return false;
    if (finished->second == core::Attribute(std::int64_t{0}))
        throw core::InputError(file.path() + ": was never finished (the run that wrote it ended " +
                               "before) extract the activations again");
    return true;
}

}  // namespace

AssemblyGroup open_group(const NetcdfFile& file, const AssemblyRequest& request,
                         FixedStrings fixed_strings) {
    const bool is_own = is_of_extract(file);
    const int id = find_group(file, request.layer);
    auto variables = list_variables(file, id);
    auto coordinates = stated_coordinates(file, id, variables);
    AssemblyGroup group{file,
                        id,
                        std::move(variables),
                        std::move(fixed_strings),
                        std::move(coordinates),
                        request.renamed,
                        is_own};
    return group;
}

const NetcdfVariable& data_variable(const AssemblyGroup& group, const AssemblyRequest& request) {
    const auto& data = request.variable ? named_variable(group, *request.variable)
                                        : choose_variable(group, request);
    if (is_readable(data)) return data;
    throw core::InputError(group.file.path() + ": the values of '" + data.name +
                           "' are of a type that is neither number nor string");
}

core::Values values_of(const AssemblyGroup& group, const NetcdfVariable& variable) {
    const auto fixed = group.fixed_strings.find(variable.name);
    if (fixed == group.fixed_strings.end()) return read_values(group.file, group.id, variable);
    // The data set has an extent of its own, which may be another than that of its dimension.
    if (fixed->second.size() == entry_count(group.file, variable)) return fixed->second;
    throw core::InputError(group.file.path() + ": '" + variable.name + "' has " +
                           core::counted(fixed->second.size(), "string") +
                           " where its dimensions have " +
                           std::to_string(entry_count(group.file, variable)) +
                           " (never written to its end, or damaged)");
}

core::Assembly labels_of(const AssemblyGroup& group, const NetcdfVariable& data,
                         const std::string& left_out, const std::set<std::string>& kept) {
    core::Assembly assembly;
    assembly.dims = data.dims;
    add_attributes(read_attributes(group.file, group.id, data), assembly);
    add_attributes(read_attributes(group.file, group.id, std::nullopt), assembly);
    choose_name(data, assembly);
    check_renamed(group, data);
    add_coordinates(group, data, left_out, kept, assembly);
    rename_image_id(assembly);
    return assembly;
}

}  // namespace ventral::io
