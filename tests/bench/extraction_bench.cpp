#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "config/model_file.hpp"
#include "core/allocator.hpp"
#include "core/number_text.hpp"
#include "core/seconds_since.hpp"
#include "models/load_input.hpp"
#include "models/network/load_network.hpp"
#include "models/recording/recorder.hpp"
#include "process.hpp"

namespace {

using namespace ventral;

std::vector<std::string> images_of(const std::string& folder, std::size_t count) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    paths.resize(std::min(count, paths.size()));
    return paths;
}

/// The passes that the images take, the last batch whole, with the memory that an extraction keeps;
/// nothing is copied out of the network.
double network_seconds(const models::ModelRecord& model, const std::vector<std::string>& layers,
                       std::size_t images, const std::vector<float>& image) {
    const core::KeepsFreedBlocks while_networks_run;
    const auto shape = *stimuli::tensor_shape(*model.preprocessing);
    const models::LayerRecorder recorder(models::load_network(model), layers);
    const models::BatchShape batch_shape{
        static_cast<std::int64_t>(model.batch_size), static_cast<std::int64_t>(shape[0]),
        static_cast<std::int64_t>(shape[1]), static_cast<std::int64_t>(shape[2])};
    std::vector<float> batch;
    for (std::size_t i = 0; i < model.batch_size; ++i)
        batch.insert(batch.end(), image.begin(), image.end());
    recorder.shapes(batch, batch_shape);
    return core::seconds_taken([&] {
        for (std::size_t done = 0; done < images; done += model.batch_size)
            recorder.shapes(batch, batch_shape);
    });
}

void time_parts(const std::vector<std::string>& arguments) {
    const auto model =
        config::read_model_file(arguments.at(1), {{}, std::filesystem::path(arguments.at(2))})
            .record;
    const auto count = static_cast<std::size_t>(core::parse_integer(arguments.at(4)).value());
    const auto images = images_of(arguments.at(3), count);
    std::vector<float> image;
    const double images_s = core::seconds_taken([&] {
        for (const auto& path : images)
            image = models::load_input(model, path, model.visual_degrees);
    });
    const std::vector<std::string> layers(arguments.begin() + 5, arguments.end());
    std::printf("timing: images %.3f s, network %.3f s\n", images_s,
                network_seconds(model, layers, images.size(), image));
}

}  // namespace

/// What one thread needs for the images alone and for the forward passes alone.
/// usage: extraction_bench MODEL.toml DATA FOLDER COUNT LAYER…
int main(int argc, char** argv) {
    jobs::prepare_process();
    try {
        time_parts({argv, argv + argc});
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
}
