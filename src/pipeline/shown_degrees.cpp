#include "pipeline/shown_degrees.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/netcdf_assembly.hpp"

namespace ventral::pipeline {

bool is_extracted(const std::string& path) {
    return !io::layer_groups(path).empty() && io::is_activations_file(path);
}

std::string degrees_problem(const io::ActivationsFile& activations,
                            const core::StimulusSet& stimuli) {
    const auto shown = activations.visual_degrees();
    if (shown.empty()) {
        core::log_warning_once(activations.path() +
                               ": does not say how wide its images were shown (it is of an earlier "
                               "version) extract it again, or make sure that they were as wide as "
                               "the datasets state");
        return {};
    }
    std::unordered_map<std::string_view, double> stated;
    for (std::size_t i = 0; i < stimuli.stimulus_ids.size(); ++i)
        stated.emplace(stimuli.stimulus_ids[i], stimuli.visual_degrees[i]);
    const auto ids = activations.stimulus_ids();
    for (std::size_t row = 0; row < ids.size(); ++row) {
        const auto found = stated.find(ids[row]);
        if (found == stated.end() || found->second == shown[row]) continue;
        const auto degrees = core::number_text(found->second);
        return activations.path() + ": was extracted from images that were shown " +
               core::number_text(shown[row]) + " degrees wide (dataset '" + stimuli.identifier +
               "' shows them " + degrees + " degrees wide) extract it again with --degrees " +
               degrees + ", or with the dataset's table if it has a column of degrees";
    }
    return {};
}

}  // namespace ventral::pipeline
