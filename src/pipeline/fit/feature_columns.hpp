#pragma once
/// @file
/// The features of a layer set by columns, for the metrics that the Gram is not enough for. Any
/// rank of a team, and any thread of it, reads for itself.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/time_bin.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::pipeline {

/// One layer's place: an activations file, or a file of stored features.
struct LayerColumns {
    std::string path;
    std::string layer;
    bool stored = false;
    std::size_t features = 0;
    std::string variable = {};  ///< of a file of stored features; empty: there is one only
    /// See `stored_layer` and `AveragedActivations`.
    core::TimeBins time_bins = {};
    std::size_t trials = 1;  ///< of activations, see `AveragedActivations`

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& path& layer& stored& features& variable& time_bins& trials;
    }
};

/// The stored features of a file that this rank has open already.
struct FeaturesAtHand {
    std::string path;
    const StoredFeatures* features = nullptr;  ///< null: there are none
};

/// Copies share the open files.
class FeatureColumns {
public:
    /// The columns of the first layer, then those of the second, and so on. Opens nothing yet. What
    /// is at hand must outlive it.
    explicit FeatureColumns(std::vector<LayerColumns> layers, FeaturesAtHand at_hand = {});

    std::size_t features() const;

    /// A reader with buffers of its own that gives the rows `rows` of the files in that order, in
    /// float64. Throws `core::InputError` when a file cannot be read, `core::OutputError` when one
    /// of the pipeline's own is gone.
    stats::ReadSlab reader(std::vector<std::size_t> rows) const;

private:
    struct Files;
    std::vector<LayerColumns> layers_;
    std::shared_ptr<Files> files_;
};

}  // namespace ventral::pipeline
