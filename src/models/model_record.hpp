#pragma once
/// @file
/// What a configuration says about one model: its network or stored features, how stimuli reach it
/// and which of its layers stand for which region. Nothing is loaded here.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time_bin.hpp"
#include "models/builtin/builtin.hpp"
#include "models/time_bins.hpp"
#include "stimuli/preprocessing.hpp"

namespace ventral::models {

/// How weights and input lie in memory. Part of the numerics: the two differ in the last digits.
enum class MemoryLayout { channels_last, contiguous };

/// A stored assembly of features.
struct FeaturesFile {
    std::string path;
    std::string variable;  ///< the one that is meant; empty: it has only one
};

/// Layers with more features than `components` are projected on their principal components over
/// other images: a network's over the stimuli of a dataset, those of stored features over the
/// presentations of another file. The one that is not meant is empty.
struct PcaRecord {
    std::size_t components = 1000;
    std::string dataset;
    FeaturesFile features = {};  ///< with the same layers
};

/// Layers that answer in time: which axis of what they give is time, the batch being axis 0, and
/// the time bins of its steps.
struct TimeRecord {
    std::size_t axis = 1;
    core::TimeBins bins;
};

/// One file of `configs/models`. One of `weights_file`, `features`, `features_of` and
/// `builtin` is set, the others are empty.
struct ModelRecord {
    std::string identifier;
    std::string origin;           ///< the TOML file, for messages
    std::string weights_file;     ///< TorchScript
    std::string weights_sha256;   ///< empty: not stated
    FeaturesFile features;        ///< in place of a network
    double visual_degrees = 8;    ///< width of the model's screen
    std::size_t batch_size = 16;  ///< images of one pass of the network
    std::string readout_layer;
    std::vector<std::string> candidate_layers;
    std::optional<stimuli::Preprocessing> preprocessing;  ///< may be missing with stored features
    std::map<std::string, std::vector<std::string>> regions;  ///< region → its committed layers
    std::optional<PcaRecord> pca;
    std::optional<TimeRecord> time;  ///< of all layers that are recorded; of networks only
    std::string device = "auto";     ///< or "cpu", "cuda": device.hpp
    MemoryLayout memory_layout = MemoryLayout::channels_last;
    std::optional<Builtin> builtin;  ///< a network that the program makes itself
    /// It answers differently in each trial, by microsaccades, whatever benchmarks require.
    bool require_variance = false;
    /// Dataset → its features, if each has its own, until there is a record for each
    /// (config/features_by_dataset.hpp).
    std::map<std::string, FeaturesFile> features_of;
    /// The one dataset that is scored with such a record. Empty: any.
    std::string dataset;
    /// Why the TOML file defines no model that can be used, if so: then nothing else is known of it
    /// but what it is called and `origin`, or that it has no features of `dataset`.
    std::string problem;
};

/// Whether features are stored, in a file or in several, and there is no network.
bool has_stored_features(const ModelRecord& model);

/// The identifier, and the dataset that the record is for alone, or nothing. No two records of a
/// run share it.
using ModelName = std::pair<std::string, std::string>;
ModelName full_name(const ModelRecord& model);

/// How many time bins its network answers in; 1 if it does not answer in time.
std::size_t answer_bins(const ModelRecord& model);

/// How many images are loaded, and their activations written, at once: of whole passes, and not so
/// few that files are written in crumbs.
std::size_t images_at_once(const ModelRecord& model);

}  // namespace ventral::models
