#pragma once
/// @file
/// The demo's random network and a few images for it, as a run without benchmarks.

#include <fstream>
#include <string>

#include "config/run_record.hpp"
#include "models/builtin/demo_network.hpp"
#include "stimuli/demo_images.hpp"
#include "stimuli/write_png.hpp"

namespace ventral::test {

inline constexpr std::size_t network_stimuli = 18;

/// Writes network.ts, stimuli.csv and the images "i0", "i1", … into `folder`.
inline void write_small_network(const std::string& folder) {
    models::write_demo_network(folder + "/network.ts", models::DemoWeights::random, 1);
    std::ofstream table(folder + "/stimuli.csv");
    table << "stimulus_id,filename\n";
    for (std::size_t i = 0; i < network_stimuli; ++i) {
        const auto name = "i" + std::to_string(i);
        stimuli::write_png(folder + "/" + name + ".png", stimuli::demo_image(i, 1).image);
        table << name << "," << name << ".png\n";
    }
}

/// Model "network" in passes of four, and dataset "images".
inline config::RunRecord small_network_run(const std::string& folder) {
    models::ModelRecord model;
    model.identifier = "network";
    model.origin = "network.toml";
    model.weights_file = folder + "/network.ts";
    model.batch_size = 4;
    model.candidate_layers = {"stage6", "stage7"};
    model.preprocessing.emplace();
    model.preprocessing->resize = model.preprocessing->crop = models::demo_input_pixels;
    benchmarks::DatasetRecord dataset;
    dataset.identifier = "images";
    dataset.origin = "dataset.toml";
    dataset.stimuli = {{folder + "/stimuli.csv", ""}, folder, 8.0};
    config::RunRecord run;
    run.models = {model};
    run.datasets["images"] = dataset;
    run.layers = config::LayerChoice::candidates;
    return run;
}

/// The run, whose files it writes into the folder.
inline config::RunRecord written_small_network_run(const std::string& folder) {
    write_small_network(folder);
    return small_network_run(folder);
}

}  // namespace ventral::test
