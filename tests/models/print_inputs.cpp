/// @file
/// Prints the tensors that ventral makes of images, for compare_with_torchvision.py. Each line of
/// the file that is named on the command line is a JSON object; each answer on stdout is the number
/// of bytes on a line, then the bytes.

#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "models/load_input.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace {

using nlohmann::json;
using namespace ventral;

stimuli::Interpolation interpolation_named(const std::string& name) {
    using enum stimuli::Interpolation;
    for (const auto interpolation : {bilinear, bicubic, nearest})
        if (name == name_of(interpolation)) return interpolation;
    throw std::invalid_argument(name);
}

models::ModelRecord record_of(const json& job) {
    models::ModelRecord record;
    auto& steps = record.preprocessing.emplace();
    steps.backend = stimuli::Preprocessing::Backend::tensor;
    const auto& resize = job.at("resize");
    if (resize.is_array())
        steps.resize_exact =
            stimuli::Size{resize[0].get<std::size_t>(), resize[1].get<std::size_t>()};
    else if (!resize.is_null())
        steps.resize = resize.get<std::size_t>();
    if (!job.at("crop").is_null()) steps.crop = job.at("crop").get<std::size_t>();
    steps.interpolation = interpolation_named(job.at("interpolation"));
    steps.mean = job.at("mean").get<std::array<float, 3>>();
    steps.standard_deviation = job.at("std").get<std::array<float, 3>>();
    return record;
}

}  // namespace

int main(int, char** arguments) {
    models::configure_torch();
    std::ifstream jobs(arguments[1]);
    for (std::string line; std::getline(jobs, line);) {
        const auto job = json::parse(line);
        const auto record = record_of(job);
        const auto tensor = models::load_input(record, job.at("path"), record.visual_degrees);
        const auto bytes = tensor.size() * sizeof(float);
        std::cout << bytes << "\n";
        std::cout.write(reinterpret_cast<const char*>(tensor.data()),
                        static_cast<std::streamsize>(bytes));
    }
}
