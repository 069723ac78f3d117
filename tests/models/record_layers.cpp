/// @file
/// record_layers MODEL.ts contiguous|channels_last INPUT.f32 N C H W [LAYER…]: writes the raw
/// float32 records of the layers (none named: of all) to stdout, one behind the other; their names
/// and shapes go to stderr.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "models/recording/recorder.hpp"

using namespace ventral::models;

namespace {

std::vector<float> read_floats(const std::string& path, const BatchShape& shape) {
    std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3]));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
    if (!file) throw std::runtime_error(path + ": too short");
    return values;
}

void write(const std::string& layer, const LayerOutput& output) {
    std::string shape;
    for (const auto size : output.shape) shape += " " + std::to_string(size);
    std::fprintf(stderr, "%s%s\n", layer.c_str(), shape.c_str());
    std::fwrite(output.values.data(), sizeof(float), output.values.size(), stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words.size() < 7) return 2;
    try {
        BatchShape shape{};
        for (std::size_t i = 0; i < 4; ++i) shape[i] = std::stol(words[3 + i]);
        const auto layout =
            words[1] == "contiguous" ? MemoryLayout::contiguous : MemoryLayout::channels_last;
        const auto network = Network::load(words[0], {.memory_layout = layout});
        std::vector<std::string> layers(words.begin() + 7, words.end());
        if (layers.empty()) layers = network.layers();
        const LayerRecorder recorder(network, layers);
        const auto outputs = recorder.record(read_floats(words[2], shape), shape);
        for (std::size_t i = 0; i < layers.size(); ++i) write(layers[i], outputs[i]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
