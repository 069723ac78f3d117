#include "config/unknown_name.hpp"

#include "core/known_names.hpp"

namespace ventral::config {

std::string unknown_name(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known) {
    return "unknown " + kind + " '" + name + "'" + core::known_names(name, known);
}

}  // namespace ventral::config
