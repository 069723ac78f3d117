#include "models/network/submodule_names.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include <torch/csrc/jit/api/module.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// The attribute by which `tools/export_model` tells submodules with tied weights apart.
const std::string number_of_export = "number_among_tied";

template <typename NamedTensors>
std::string places_of(const NamedTensors& tensors) {
    std::string text;
    for (const auto& each : tensors)
        if (each.value.defined() && each.value.has_storage() && each.value.numel() > 0)
            text += " " + each.name + "@" +
                    std::to_string(reinterpret_cast<std::uintptr_t>(each.value.data_ptr()));
    return text;
}

/// Whether its text tells all of it.
bool is_plain(const c10::IValue& value) {
    const auto are_plain = [](const auto& members) {
        return std::all_of(members.begin(), members.end(),
                           [](const c10::IValue& member) { return is_plain(member); });
    };
    if (value.isTuple()) return are_plain(value.toTupleRef().elements());
    if (value.isList()) return are_plain(value.toListRef());
    return value.isNone() || value.isScalar() || value.isString();
}

/// The numbers and texts among its attributes, and among those of its submodules.
std::string settings_of(const jit::Module& module) {
    std::ostringstream text;
    for (const auto& each : module.named_attributes())
        if (is_plain(each.value)) text << " " << each.name << "=" << each.value;
    return text.str();
}

/// The same for copies; empty for a submodule without parameters.
std::string identity(const jit::Module& module) {
    const auto parameters = places_of(module.named_parameters());
    if (parameters.empty()) return "";
    return module.type()->name()->qualifiedName() + parameters + places_of(module.named_buffers()) +
           settings_of(module);
}

}  // namespace

/// What has been met so far → its first name.
struct SubmoduleNames::Seen {
    std::map<const void*, std::string> objects;
    std::map<std::string, std::string> identities;
};

SubmoduleNames::SubmoduleNames(const jit::Module& network) {
    Seen seen;
    collect(network, "", seen);
}

void SubmoduleNames::collect(const jit::Module& module, const std::string& name, Seen& seen) {
    const auto prefix = [](const std::string& of) { return of.empty() ? "" : of + "."; };
    const auto& above = name.empty() ? name : first(name);
    for (const auto& child : module.named_children()) {
        const auto child_name = prefix(name) + child.name;
        auto known = identity(child.value);
        const bool has_identity = !known.empty();
        if (!has_identity) known = prefix(above) + child.name;
        const auto& by_identity = seen.identities.emplace(known, child_name).first->second;
        const auto [object, is_new] =
            seen.objects.emplace(child.value._ivalue().get(), by_identity);
        const auto first = object->second;
        if (is_new && first != child_name && has_identity && !child.value.hasattr(number_of_export))
            doubtful_.push_back(child_name);
        all_.push_back(child_name);
        first_[child_name] = first;
        names_[first].push_back(child_name);
        collect(child.value, child_name, seen);
    }
}

}  // namespace ventral::models
