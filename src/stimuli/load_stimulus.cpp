#include "stimuli/load_stimulus.hpp"

#include "stimuli/decode.hpp"
#include "stimuli/screen.hpp"

namespace ventral::stimuli {

std::vector<float> load_stimulus(const std::string& path, double stimulus_degrees,
                                 double screen_degrees, const Preprocessing& preprocessing) {
    return preprocess(place_on_screen(decode(path), stimulus_degrees, screen_degrees),
                      preprocessing);
}

}  // namespace ventral::stimuli
