#include "plan_explain.hpp"

#include <iostream>

#include <nlohmann/json.hpp>

namespace ventral::jobs {

void print_explanations(const std::vector<pipeline::ScoreExplanation>& scores) {
    for (const auto& score : scores)
        std::cout << score.model << (score.layer.empty() ? "" : ", ") << score.layer << " on "
                  << score.benchmark << ": " << pipeline::name_of(score.action) << ": " << score.why
                  << (score.on_disk.empty() ? "" : "; " + score.on_disk + " on disk") << "\n";
}

void add_explanations(nlohmann::ordered_json& json,
                      const std::vector<pipeline::ScoreExplanation>& scores) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& score : scores)
        list.push_back({{"model", score.model},
                        {"layer", score.layer},
                        {"benchmark", score.benchmark},
                        {"key", score.key},
                        {"action", pipeline::name_of(score.action)},
                        {"why", score.why},
                        {"on_disk", score.on_disk}});
    json["explanations"] = std::move(list);
}

}  // namespace ventral::jobs
