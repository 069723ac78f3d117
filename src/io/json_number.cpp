#include "io/json_number.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"

namespace ventral::io {

nlohmann::ordered_json json_number(double value) {
    if (std::isnan(value)) return nullptr;
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

nlohmann::ordered_json json_values(const core::Values& values) {
    return std::visit(
        [](const auto& entries) {
            auto list = nlohmann::ordered_json::array();
            for (const auto& entry : entries) {
                if constexpr (std::is_floating_point_v<std::decay_t<decltype(entry)>>)
                    list.push_back(json_number(static_cast<double>(entry)));
                else
                    list.push_back(entry);
            }
            return list;
        },
        values);
}

double number_from_json(const nlohmann::ordered_json& json) {
    if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!json.is_string()) return json.get<double>();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (json == "inf") return infinity;
    if (json == "-inf") return -infinity;
    throw core::InputError("'" + json.get<std::string>() + "' is no number");
}

}  // namespace ventral::io
