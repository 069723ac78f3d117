#include "pipeline/inputs/stimulus_image.hpp"

#include "core/errors.hpp"

namespace ventral::pipeline {

void with_image(const core::StimulusSet& stimuli, std::size_t row, benchmarks::Access access,
                const std::function<void(const std::string& file)>& use) {
    try {
        use(stimuli.files[row]);
    } catch (const core::InputError& error) {
        if (access == benchmarks::Access::open) throw;
        core::throw_again(error, "image " + std::to_string(row) + " of stimulus set '" +
                                     stimuli.identifier +
                                     "' cannot be used (details are withheld: its access is "
                                     "private)");
    }
}

}  // namespace ventral::pipeline
