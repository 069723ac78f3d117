#include "pipeline/inputs/stimulus_image.hpp"

#include "core/errors.hpp"
#include "pipeline/inputs/withheld.hpp"

namespace ventral::pipeline {

void with_image(const core::StimulusSet& stimuli, std::size_t row, benchmarks::Access access,
                const std::function<void(const std::string& file)>& use) {
    try {
        use(stimuli.files[row]);
    } catch (const core::InputError& error) {
        if (access == benchmarks::Access::open) throw;
        core::throw_again(error, withheld("image " + std::to_string(row) + " of stimulus set '" +
                                          stimuli.identifier + "' cannot be used"));
    }
}

}  // namespace ventral::pipeline
