#include "pipeline/outlook/unlike_layers.hpp"

#include <cstddef>
#include <map>
#include <utility>

namespace ventral::pipeline {
namespace {

struct WidthOn {
    std::string dataset;
    std::size_t features = 0;
};

}  // namespace

std::vector<std::string> unlike_layers(const std::vector<UnitEstimate>& units) {
    std::map<std::pair<std::string, std::string>, WidthOn> first;  // by model and layer
    std::vector<std::string> told;
    for (const auto& unit : units)
        for (const auto& layer : unit.layers) {
            if (layer.features == 0) continue;
            const WidthOn here{unit.dataset, layer.features};
            const auto& there = first.try_emplace({unit.model, layer.name}, here).first->second;
            if (here.features != there.features)
                told.push_back(unit.model + ": layer '" + layer.name + "' has " +
                               std::to_string(there.features) + " features on " + there.dataset +
                               " and " + std::to_string(here.features) + " on " + here.dataset +
                               " (one network would have as many) make sure that its files are "
                               "of one model");
        }
    return told;
}

}  // namespace ventral::pipeline
