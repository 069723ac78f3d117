#include "models/load_input.hpp"

#include <cassert>

#include "core/errors.hpp"
#include "models/resize_tensor.hpp"
#include "stimuli/load_stimulus.hpp"

namespace ventral::models {

stimuli::TensorShape input_shape(const ModelRecord& model) {
    if (!model.preprocessing)
        throw core::InputError(model.origin + ": the network has no [preprocessing]");
    const auto shape = stimuli::tensor_shape(*model.preprocessing);
    if (!shape)
        throw core::InputError(model.origin +
                               ": [preprocessing] leaves images sizes of their own (a batch "
                               "needs one size) set crop, or resize = [h, w]");
    return *shape;
}

std::vector<float> load_input(const ModelRecord& model, const std::string& path,
                              double stimulus_degrees) {
    assert(model.preprocessing);
    return stimuli::load_stimulus(path, stimulus_degrees, model.visual_degrees,
                                  *model.preprocessing, resize_tensor);
}

}  // namespace ventral::models
