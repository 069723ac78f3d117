#pragma once
/// @file
/// The TOML files of the demo, as text.

#include <string>
#include <vector>

namespace ventral::pipeline {

/// A region of the simulated brain and the layer that it is made of.
struct DemoRegion {
    std::string name;
    std::string layer;
};

/// V1 to IT, from every second layer of the designed network.
std::vector<DemoRegion> demo_regions();

/// The ceiling that the noise of the recordings is set for.
inline constexpr double demo_ceiling = 0.77;

struct DemoModel {
    std::string identifier;  ///< also the name of its files, without the ending
    std::string weights_sha256;
};

/// models/IDENTIFIER.toml, beside the weights. The region map names the layers of `demo_regions`.
std::string demo_model_toml(const DemoModel& model);

struct DemoChecksums {
    std::string stimuli_sha1;
    std::string recordings_sha1;
};

/// datasets/demo.toml, for data/stimuli.csv, data/images and data/recordings.nc.
std::string demo_dataset_toml(const DemoChecksums& checksums);

/// benchmarks/demo.toml: every region with PLS and with ridge.
std::string demo_benchmarks_toml();

/// run.toml: all models on all benchmarks, every layer of theirs.
std::string demo_run_toml(const std::vector<std::string>& models);

}  // namespace ventral::pipeline
