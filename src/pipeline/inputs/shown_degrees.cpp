#include "pipeline/inputs/shown_degrees.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "core/number_text.hpp"
#include "io/activations/activations_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::pipeline {
namespace {

bool are_all(const std::vector<double>& widths, double width) {
    return std::all_of(widths.begin(), widths.end(), [&](double each) { return each == width; });
}

/// Whether a stimulus of both has another width.
bool differ(const ShownImages& shown, const core::StimulusSet& stimuli) {
    std::unordered_map<std::string_view, double> wanted;
    for (std::size_t i = 0; i < stimuli.stimulus_ids.size(); ++i)
        wanted.emplace(stimuli.stimulus_ids[i], stimuli.visual_degrees[i]);
    for (std::size_t row = 0; row < shown.stimulus_ids.size(); ++row) {
        const auto found = wanted.find(shown.stimulus_ids[row]);
        if (found != wanted.end() && found->second != shown.visual_degrees[row]) return true;
    }
    return false;
}

}  // namespace

bool is_extracted(const std::string& path) {
    return !io::layer_groups(path).empty() && io::is_activations_file(path);
}

ShownImages shown_images(const std::string& path) {
    const io::ActivationsFile file(path);
    return {path, file.stimulus_ids(), file.visual_degrees()};
}

std::optional<std::string> degrees_problem(const ShownImages& shown,
                                           const core::StimulusSet& stimuli,
                                           double stated_degrees) {
    const auto& widths = shown.visual_degrees;
    if (widths.empty() || !differ(shown, stimuli)) return std::nullopt;
    const auto stated = core::number_text(stated_degrees);
    return shown.path + ": was extracted from images that were shown " +
           (are_all(widths, widths.front()) ? core::number_text(widths.front()) + " degrees wide"
                                            : "at other widths") +
           " (dataset '" + stimuli.identifier +
           (are_all(stimuli.visual_degrees, stated_degrees)
                ? "' shows them " + stated + " degrees wide) extract it again with --degrees " +
                      stated
                : "' has widths of its own for them in its table) extract it again with that "
                  "table");
}

}  // namespace ventral::pipeline
