#include "stimuli/load_stimulus.hpp"

#include "stimuli/decode.hpp"
#include "stimuli/screen.hpp"

namespace ventral::stimuli {

std::vector<float> load_stimulus(const std::string& path, double stimulus_degrees,
                                 double screen_degrees, const Preprocessing& preprocessing,
                                 const ResizeTensor& resize_tensor) {
    return preprocess(place_on_screen(decode(path), stimulus_degrees, screen_degrees),
                      preprocessing, resize_tensor);
}

}  // namespace ventral::stimuli
