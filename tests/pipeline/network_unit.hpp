#pragma once
/// @file
/// A unit of the small network, and what it leaves on disk.

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "models/runtime/torch_runtime.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/inputs/keys.hpp"
#include "support/planned_unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/team.hpp"

namespace ventral::test {

/// A score of two layers, and these.
inline const config::LayerSet both_names = {"stage6", "stage7"};
inline const std::vector<pipeline::OpenLayer> both = {{"stage6"}, {"stage7"}};

/// The small network in `folder`, which all ranks share.
inline PlannedUnit network_unit(comm::Communicator& world, const std::string& folder) {
    models::configure_torch();
    if (world.rank() == 0) {
        test::write_small_network(folder);
        for (const char* part : {"/activations", "/grams"})
            std::filesystem::create_directory(folder + part);
    }
    world.barrier();
    return {test::small_network_run(folder), "images"};
}

/// Projects the unit's layers on components of the images of `dataset`.
inline void add_pca(PlannedUnit& unit, std::size_t components, const std::string& dataset) {
    unit.run.models[0].pca = models::PcaRecord{components, dataset};
    unit.run.datasets[dataset] = unit.run.datasets.at("images");
    unit.run.datasets[dataset].identifier = dataset;
    if (dataset != "images") unit.run.datasets[dataset].stimuli.csv.path += "." + dataset;
    unit.facts.models[{"network", ""}].content_key = "network";
    unit.facts.datasets[dataset].stimuli_key = dataset;
    unit.planned.projection = pipeline::projection_key(unit.run.models[0], dataset);
}

/// Six of the images as a table of their own.
inline void write_fewer_images(const std::string& folder) {
    std::ofstream table(folder + "/stimuli.csv.fewer");
    table << "stimulus_id,filename\n";
    for (const char* name : {"i0", "i1", "i2", "i3", "i4", "i5"})
        table << name << "," << name << ".png\n";
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

inline void on_first_rank(comm::Communicator& world, const std::function<void()>& action) {
    world.barrier();
    if (world.rank() == 0) action();
    world.barrier();
}

inline void empty_folder(const std::string& folder) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
}

inline std::size_t activation_files(const std::string& folder) {
    return test::files_in(folder + "/activations").size();
}

}  // namespace ventral::test
