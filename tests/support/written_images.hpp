#pragma once
/// @file
/// Stimuli of which a test says each pixel.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "stimuli/write_png.hpp"

namespace ventral::test {

/// Square images, which the table stimuli.csv lists; `pixel` gives the value at a place of all
/// those of image number i.
inline void write_images(
    const std::string& folder, const std::vector<std::string>& ids, std::size_t size,
    const std::function<std::size_t(std::size_t i, std::size_t place)>& pixel) {
    std::ofstream table(folder + "/stimuli.csv");
    table << "stimulus_id,filename\n";
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto name = "image" + std::to_string(i) + ".png";
        stimuli::Image image;
        image.width = image.height = size;
        for (std::size_t place = 0; place < 3 * size * size; ++place)
            image.pixels.push_back(static_cast<std::uint8_t>(pixel(i, place)));
        stimuli::write_png(folder + "/" + name, image);
        table << ids[i] << "," << name << "\n";
    }
}

}  // namespace ventral::test
