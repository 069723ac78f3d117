#include "pipeline/inputs/checkpoint_files.hpp"

#include "core/hash.hpp"
#include "io/out_folder.hpp"

namespace ventral::pipeline {

std::string gram_path(const std::string& out, const std::string& key) {
    return io::grams_folder(out) + "/" + key + ".h5";
}

std::string activations_path(const std::string& out, const std::string& prefix,
                             const std::vector<std::string>& layers) {
    core::KeyBuilder names;
    for (const auto& layer : layers) names.add("layer", layer);
    return io::activations_folder(out) + "/" + prefix + "-" + names.key().substr(0, 16) + ".h5";
}

std::string prefix_in_name(const std::filesystem::path& file) {
    if (file.extension() != ".h5") return {};
    const auto name = file.filename().string();
    return name.substr(0, name.find('-'));
}

std::string projection_path(const std::string& out, const std::string& key) {
    return io::activations_folder(out) + "/" + key + ".nc";
}

std::string key_in_projection_name(const std::filesystem::path& file) {
    return file.extension() == ".nc" ? file.stem().string() : std::string();
}

}  // namespace ventral::pipeline
