/// @file
/// Prints what ventral makes of image files, for compare_with_pillow.py. Each line of the file that
/// is named on the command line is a JSON object; each answer on stdout is a line of JSON, {"mode",
/// "size", "bytes"} or {"error"}, then that many raw bytes.

#include <cstdint>
#include <fstream>
#include <iostream>
#include <span>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "stimuli/decode.hpp"
#include "stimuli/load_stimulus.hpp"
#include "stimuli/screen.hpp"

namespace {

using nlohmann::json;
using namespace ventral::stimuli;

Interpolation interpolation_named(const std::string& name) {
    for (auto interpolation : {Interpolation::box, Interpolation::bilinear, Interpolation::bicubic,
                               Interpolation::lanczos, Interpolation::nearest})
        if (name == name_of(interpolation)) return interpolation;
    throw std::invalid_argument(name);
}

Preprocessing preprocessing_of(const json& wanted) {
    Preprocessing preprocessing;
    const auto& resize = wanted.at("resize");
    if (resize.is_array())
        preprocessing.resize_exact =
            Size{resize[0].get<std::size_t>(), resize[1].get<std::size_t>()};
    else if (!resize.is_null())
        preprocessing.resize = resize.get<std::size_t>();
    if (!wanted.at("crop").is_null()) preprocessing.crop = wanted.at("crop").get<std::size_t>();
    preprocessing.interpolation = interpolation_named(wanted.at("interpolation"));
    preprocessing.mean = wanted.at("mean").get<std::array<float, 3>>();
    preprocessing.standard_deviation = wanted.at("std").get<std::array<float, 3>>();
    return preprocessing;
}

void print(const json& header, std::span<const std::byte> bytes) {
    std::cout << header.dump() << "\n";
    std::cout.write(reinterpret_cast<const char*>(bytes.data()),
                    static_cast<std::streamsize>(bytes.size()));
}

void print(const Image& image) {
    print({{"mode", name_of(image.mode)},
           {"size", {image.width, image.height}},
           {"bytes", image.pixels.size()}},
          std::as_bytes(std::span(image.pixels)));
}

void answer(const json& job) {
    const auto step = job.at("step").get<std::string>();
    const auto path = job.at("path").get<std::string>();
    if (step == "decode") return print(decode(path));
    if (step == "rgb") return print(to_rgb(decode(path)));
    if (step == "resize")
        return print(resize(decode(path), {job.at("size")[1], job.at("size")[0]},
                            interpolation_named(job.at("interpolation"))));
    const double stimulus_degrees = job.at("stimulus_degrees");
    const double screen_degrees = job.at("screen_degrees");
    if (step == "screen")
        return print(place_on_screen(decode(path), stimulus_degrees, screen_degrees));
    const auto tensor =
        load_stimulus(path, stimulus_degrees, screen_degrees, preprocessing_of(job));
    print({{"bytes", tensor.size() * sizeof(float)}}, std::as_bytes(std::span(tensor)));
}

}  // namespace

int main(int, char** arguments) {
    std::ifstream jobs(arguments[1]);
    for (std::string line; std::getline(jobs, line);) try {
            answer(json::parse(line));
        } catch (const ventral::core::InputError& error) {
            print({{"error", error.what()}}, {});
        }
}
