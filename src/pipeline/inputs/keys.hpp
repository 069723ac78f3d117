#pragma once
/// @file
/// Content keys: hashes of everything that a result depends on, with a version per stage. Names of
/// files, the git commit and the number of ranks are not part of them.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "config/run_record.hpp"
#include "core/stimulus_set.hpp"
#include "core/time_bin.hpp"

namespace ventral::pipeline {

/// Bump when a bit of extracted activations changes.
inline constexpr int extract_version = 10;
/// The same of those that a GPU computes.
inline constexpr int gpu_extract_version = 3;
/// Of the layers that are listed of a network.
inline constexpr int layer_list_version = 1;
/// Bump when what all scores have in common changes: how predictions are compared with recordings,
/// and the steps from a metric's result to a score record.
inline constexpr int score_version = 4;

/// "cpu" or "cuda", where the model's network runs on this machine; empty for stored features.
/// Throws `core::InputError` with the record's name if its device is not there.
std::string device_of(const models::ModelRecord& model);

/// Of the model: hash of the weights (stored features, built-in network) and all that decides what
/// they give. Throws as `device_of` does.
std::string model_key(const models::ModelRecord& model, const std::string& weights_hash);

/// Of an assembly: the hash of its file, which variable of it is meant, empty where there is one,
/// and which coordinates are renamed or dropped.
std::string assembly_key(const std::string& variable, const std::string& file_hash,
                         const std::map<std::string, std::string>& renamed = {});

/// Of a stimulus set: ids, bytes of the images and degrees, in order. Reads the images; `on_block`
/// is called at least once for each, as a sign of life.
std::string stimuli_key(const core::StimulusSet& stimuli,
                        const std::function<void()>& on_block = {});

/// Of a model's activations on a stimulus set; `stimuli` is empty for stored features. One trial is
/// the same with and without microsaccades.
std::string activations_key(const std::string& model, const std::string& stimuli,
                            std::size_t trials = 1);

/// Of what a model's PCA makes of features, `fitted` being the key of what it is fitted on: the
/// images of a network, else the `assembly_key` of stored features; empty without a PCA. In which
/// time bins the features are, is part of the model's key.
std::string projection_key(const models::ModelRecord& model, const std::string& fitted);

/// Of a benchmark's ceiling, without its normalisation; hashes of the dataset's files by role.
std::string ceiling_key(const benchmarks::BenchmarkRecord& benchmark,
                        const std::map<std::string, std::string>& assembly_keys,
                        const std::string& stimuli);

/// What a score depends on beside its benchmark.
struct ScoreIdentity {
    std::string model;        ///< identifier
    std::string activations;  ///< `activations_key`
    config::LayerSet layers;
    std::int64_t seed = 0;
    std::string projection = {};  ///< `projection_key`
    /// What was scored while the data were open has values of single neuroids.
    benchmarks::Access access = benchmarks::Access::open;
};
/// Of a score; hashes of the dataset's files by role.
std::string score_key(const ScoreIdentity& identity, const benchmarks::BenchmarkRecord& benchmark,
                      const std::map<std::string, std::string>& assembly_keys,
                      const std::string& stimuli);

/// Bump when the features that change in time come out otherwise in some time bin.
inline constexpr int time_bins_version = 1;
/// Of a model whose features change in time, from the key of what else decides them.
std::string in_time_key(const std::string& model);
/// Of activations in time bins; without bins it is that of the activations.
std::string in_time_bins_key(const std::string& activations, const core::TimeBins& bins);
/// What a score's key is made of, part by part, so that a record can say later which of them has
/// changed: "activations", "seed", "projection" (if there is one), "stimuli", "recordings",
/// "access" (if it is restricted), "selection" (select and time bins), "metric" (its parameters),
/// "ceiling" and "stages" (the versions of the program's stages). Names, versions and hashes of 16
/// digits.
std::map<std::string, std::string> score_parts(
    const ScoreIdentity& identity, const benchmarks::BenchmarkRecord& benchmark,
    const std::map<std::string, std::string>& assembly_keys, const std::string& stimuli);

/// The beginning of the names of all files of a unit's activations on a machine kind.
std::string activations_prefix(const std::string& activations, const std::string& fingerprint);

/// Of the checkpoint of a layer's Gram; `projection` as in `ScoreIdentity`, `bins` of features that
/// change in time.
std::string gram_key(const std::string& activations, const std::string& projection,
                     const std::string& layer, const std::string& fingerprint,
                     const core::TimeBins& bins = {});

/// Of a layer's projection on the components of the model's PCA.
std::string projected_layer_key(const std::string& activations, const std::string& projection,
                                const std::string& layer, const std::string& fingerprint);

/// Of a checkpoint of one stage: bits on disk belong to the machine kind that made them.
std::string checkpoint_key(const std::string& stage_key, const std::string& layer,
                           const std::string& fingerprint);

}  // namespace ventral::pipeline
