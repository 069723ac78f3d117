#include "io/packing.hpp"

#include <optional>

namespace ventral::io {
namespace {

std::optional<double> number(const std::map<std::string, core::Attribute>& attributes,
                             const std::string& name) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return std::nullopt;
    if (const auto* real = std::get_if<double>(&found->second)) return *real;
    if (const auto* integer = std::get_if<std::int64_t>(&found->second)) {
        return static_cast<double>(*integer);
    }
    return std::nullopt;
}

}  // namespace

Packing packing_of(const std::map<std::string, core::Attribute>& attributes) {
    Packing packing;
    for (const auto* name : {"_FillValue", "missing_value"}) {
        const auto value = number(attributes, name);
        if (value && *value == *value) packing.missing.push_back(*value);
    }
    packing.scale = number(attributes, "scale_factor").value_or(1);
    packing.offset = number(attributes, "add_offset").value_or(0);
    return packing;
}

}  // namespace ventral::io
