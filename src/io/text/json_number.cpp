#include "io/text/json_number.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"

namespace ventral::io {
namespace {

constexpr auto float64 = "float64";

bool are_all_texts(const nlohmann::ordered_json& list) {
    return std::all_of(list.begin(), list.end(),
                       [](const auto& entry) { return entry.is_string(); });
}

}  // namespace

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

void put_labels(nlohmann::ordered_json& json, const core::Values& values) {
    auto list = json_values(values);
    const bool is_like_text = core::are_fractions(values) && are_all_texts(list);
    json["values"] = std::move(list);
    if (is_like_text) json["dtype"] = float64;
}

core::Values labels_from_json(const nlohmann::ordered_json& json) {
    const auto& list = json.at("values");
    if (!list.is_array()) throw core::InputError("'values' is not a list");
    const bool is_stated = json.value("dtype", "") == float64;
    if (!is_stated && are_all_texts(list)) return list.get<std::vector<std::string>>();
    if (!is_stated && std::all_of(list.begin(), list.end(),
                                  [](const auto& entry) { return entry.is_number_integer(); }))
        return list.get<std::vector<std::int64_t>>();
    std::vector<double> numbers;
    for (const auto& entry : list) numbers.push_back(number_from_json(entry));
    return numbers;
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
