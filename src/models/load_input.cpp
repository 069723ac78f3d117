#include "models/load_input.hpp"

#include <cassert>

#include "models/resize_tensor.hpp"
#include "stimuli/load_stimulus.hpp"

namespace ventral::models {

std::vector<float> load_input(const ModelRecord& model, const std::string& path,
                              double stimulus_degrees) {
    assert(model.preprocessing);
    return stimuli::load_stimulus(path, stimulus_degrees, model.visual_degrees,
                                  *model.preprocessing, resize_tensor);
}

}  // namespace ventral::models
