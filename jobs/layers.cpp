#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "config/features_by_dataset.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/product.hpp"
#include "core/text.hpp"
#include "exit_codes.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "model_argument.hpp"
#include "network_trial.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/inputs/model_layers.hpp"
#include "run_file.hpp"
#include "subcommand.hpp"

namespace ventral::jobs {
namespace {

struct LayersArguments {
    std::string model;
    std::string configs = "configs";
    std::string data;
    std::string input_size;
    bool json = false;
};

constexpr std::int64_t largest_side = 8192;

/// Images of "224" or "224x160" pixels, height first.
stimuli::Preprocessing preprocessing_of(const std::string& size) {
    const auto cross = size.find('x');
    const auto height = core::parse_integer(size.substr(0, cross));
    const auto width =
        cross == std::string::npos ? height : core::parse_integer(size.substr(cross + 1));
    const auto is_side = [](const auto& pixels) {
        return pixels && *pixels >= 1 && *pixels <= largest_side;
    };
    if (!is_side(height) || !is_side(width))
        throw core::InputError("--input-size: '" + size +
                               "' is no size in pixels, give for example 224 or 224x160");
    stimuli::Preprocessing preprocessing;
    preprocessing.resize_exact = {static_cast<std::size_t>(*height),
                                  static_cast<std::size_t>(*width)};
    return preprocessing;
}

models::ModelRecord record_of(const LayersArguments& arguments) {
    namespace fs = std::filesystem;
    RunFileArguments options;
    options.data_folder = arguments.data;
    const auto places = places_of(options);
    const auto extension = fs::path(arguments.model).extension();
    const bool is_network = extension == ".ts" || extension == ".pt" || extension == ".pth";
    if (is_network || (extension != ".toml" && fs::is_regular_file(arguments.model))) {
        models::ModelRecord record;
        record.weights_file = arguments.model;
        // Names and shapes are the same in either, and some networks must not be run in the other.
        record.memory_layout = models::MemoryLayout::contiguous;
        return record;
    }
    auto record = model_named(arguments.model, arguments.configs, places);
    std::error_code ignored;
    if (!record.features_of.empty()) {
        const auto files = record.features_of;
        const auto there = std::find_if(files.begin(), files.end(), [&](const auto& each) {
            return fs::exists(each.second.path, ignored);
        });
        record = config::record_on(record, (there == files.end() ? files.begin() : there)->first);
        core::log_info(record.origin + ": has a file of features for each of " +
                       core::counted(files.size(), "dataset") + ", these are the layers of " +
                       record.features.path);
    }
    if (!record.weights_file.empty() && !fs::exists(record.weights_file, ignored))
        throw core::InputError(record.weights_file + ": no such file of weights" +
                               pipeline::where_sought(record.weights_file, record.origin,
                                                      places.data_folder.value_or("")));
    return record;
}

/// Of 1000 stimuli, float32.
double mebibytes(const models::LayerShape& shape) {
    return 1000.0 * static_cast<double>(core::product(shape)) * sizeof(float) / (1 << 20);
}

void print_table(const std::vector<models::LayerSummary>& layers) {
    std::vector<leaderboard::TextRow> rows = {
        {"layer", "shape", "values", "MiB per 1000 stimuli", "Mflop per stimulus"}};
    bool has_unrecordable = false;
    for (const auto& layer : layers) {
        if (!layer.shape) {
            has_unrecordable = true;
            rows.push_back({layer.name, "-"});
            continue;
        }
        std::string shape;
        for (const auto size : *layer.shape) core::add_part(shape, std::to_string(size), " x ");
        rows.push_back({layer.name, shape, std::to_string(core::product(*layer.shape)),
                        core::fixed_text(mebibytes(*layer.shape), 1),
                        core::fixed_text(layer.flops / 1e6, 2)});
    }
    std::cout << leaderboard::aligned_columns(rows, 0);
    if (has_unrecordable)
        std::cout << "-: not called for such images, or no row of numbers for each\n";
}

nlohmann::ordered_json json_of(const models::LayerSummary& layer) {
    nlohmann::ordered_json json = {{"name", layer.name}, {"shape", nullptr}};
    if (layer.shape)
        json.update({{"shape", *layer.shape},
                     {"values", core::product(*layer.shape)},
                     {"mebibytes_per_1000_stimuli", mebibytes(*layer.shape)}});
    json["flops"] = layer.flops;
    return json;
}

int print_layers(const LayersArguments& arguments) {
    auto model = record_of(arguments);
    if (!model.weights_sha256.empty())
        pipeline::compare_checksum(model.weights_file, "sha256", model.weights_sha256,
                                   core::sha256_of_file(model.weights_file));
    if (!arguments.input_size.empty()) model.preprocessing = preprocessing_of(arguments.input_size);
    if (!has_stored_features(model))
        for (const auto& [identifier, reason] : crashing_networks({model}))
            throw core::InputError(reason);
    const auto layers = pipeline::model_layers(model);
    if (!arguments.json) {
        print_table(layers);
        return exit_done;
    }
    auto all = nlohmann::ordered_json::array();
    for (const auto& layer : layers) all.push_back(json_of(layer));
    std::cout << all.dump(2) << "\n";
    return exit_done;
}

}  // namespace

Subcommand add_layers(CLI::App& app) {
    const auto arguments = std::make_shared<LayersArguments>();
    auto* sub = app.add_subcommand(
        "layers",
        "the layers of a network in the order of their first call: shape, size and arithmetic. "
        "Flops are those of convolutions, linear and recurrent layers, matrix products, Einstein "
        "sums of two factors and attention inside the layer, a multiplication with its addition as "
        "two; logits is the whole network, unless a submodule has that name");
    sub->add_option("MODEL", arguments->model,
                    "identifier of a model, or path of its TOML file or of a TorchScript file")
        ->required();
    add_configs_option(*sub, arguments->configs);
    add_data_option(*sub, arguments->data);
    sub->add_option("--input-size", arguments->input_size,
                    "pixels of the input, HEIGHT or HEIGHTxWIDTH (default: as the model's "
                    "preprocessing says)");
    sub->add_flag("--json", arguments->json, "print a JSON array");
    return {sub, Ranks::first_only,
            [arguments](comm::Communicator&) { return print_layers(*arguments); }};
}

}  // namespace ventral::jobs
