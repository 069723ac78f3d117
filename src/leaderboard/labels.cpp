#include "leaderboard/labels.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "io/json_number.hpp"
#include "io/json_problem.hpp"

namespace ventral::leaderboard {
namespace {

using Json = nlohmann::ordered_json;

bool all(const Json& list, bool (*is)(const Json&)) {
    return std::all_of(list.begin(), list.end(), is);
}

core::Values values_from(const Json& list) {
    if (!list.is_array()) throw core::InputError("labels: 'values' is not a list");
    if (all(list, [](const Json& entry) { return entry.is_string(); }))
        return list.get<std::vector<std::string>>();
    if (all(list, [](const Json& entry) { return entry.is_number_integer(); }))
        return list.get<std::vector<std::int64_t>>();
    std::vector<double> numbers;
    for (const auto& entry : list) numbers.push_back(io::number_from_json(entry));
    return numbers;
}

}  // namespace

std::vector<core::Coordinate> labels_from_json(const std::string& json) {
    try {
        std::vector<core::Coordinate> coordinates;
        const auto labels = Json::parse(json);
        for (const auto& [name, coordinate] : labels.at("coords").items())
            coordinates.push_back(
                {name, coordinate.value("dim", "neuroid"), values_from(coordinate.at("values"))});
        return coordinates;
    } catch (const Json::exception& error) {
        throw core::InputError("labels: " + io::json_problem(error, json));
    }
}

}  // namespace ventral::leaderboard
