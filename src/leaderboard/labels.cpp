#include "leaderboard/labels.hpp"

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "io/text/json_number.hpp"
#include "io/text/json_problem.hpp"

namespace ventral::leaderboard {

std::vector<core::Coordinate> coordinates_from_json(const std::string& json) {
    try {
        std::vector<core::Coordinate> coordinates;
        const auto labels = nlohmann::ordered_json::parse(json);
        for (const auto& [name, coordinate] : labels.at("coords").items())
            coordinates.push_back({name, coordinate.value("dim", "neuroid"),
                                   core::naming("labels", [&, &entry = coordinate] {
                                       return io::labels_from_json(entry);
                                   })});
        return coordinates;
    } catch (const nlohmann::ordered_json::exception& error) {
        throw core::InputError("labels: " + io::json_problem(error, json));
    }
}

}  // namespace ventral::leaderboard
