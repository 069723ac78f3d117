#include "pipeline/extraction/damaged_images.hpp"

#include <algorithm>
#include <cstddef>

#include "core/errors.hpp"
#include "pipeline/inputs/stimulus_image.hpp"
#include "stimuli/decode.hpp"

namespace ventral::pipeline {
namespace {

/// Why the image cannot be decoded, or an empty text.
std::string damage_of(const core::StimulusSet& stimuli, std::size_t row,
                      benchmarks::Access access) {
    try {
        with_image(stimuli, row, access, [](const std::string& file) { stimuli::decode(file); });
        return "";
    } catch (const core::InputError& error) {
        return error.what();
    }
}

}  // namespace

std::vector<std::string> damaged_images(const core::StimulusSet& stimuli, benchmarks::Access access,
                                        core::Workers& workers, Progress& progress) {
    constexpr std::size_t at_once = 64;  // between two signs of progress
    const std::size_t images = stimuli.files.size();
    std::vector<std::string> reasons(images);
    progress.begin("images of " + stimuli.identifier);
    for (std::size_t first = 0; first < images; first += at_once) {
        const std::size_t count = std::min(at_once, images - first);
        workers.parallel_for(count, [&](std::size_t i) {
            reasons[first + i] = damage_of(stimuli, first + i, access);
        });
        progress.step("decode, image", first + count, images);
    }
    std::erase(reasons, "");
    return reasons;
}

}  // namespace ventral::pipeline
