#pragma once
/// @file
/// The features of one unit, whatever they come from: checkpoints of Grams, activations on disk,
/// the network, or stored features. What is missing is made, once, for all layers that need it.
/// `unit_projection.cpp` has the part about a PCA.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/time_bin.hpp"
#include "pipeline/extraction/activations_budget.hpp"
#include "pipeline/extraction/open_layers.hpp"
#include "pipeline/fit/layer_gram.hpp"
#include "pipeline/fit/unit_activations.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

struct UnitInputs;

/// All calls are collective over the team, and throw `comm::CollectiveError` on all its ranks (with
/// one rank the error itself) or `core::Interrupted`.
class UnitFeatures {
public:
    UnitFeatures(const PlannedUnit& unit, const UnitInputs& inputs, TeamContext& context);
    UnitFeatures(const UnitFeatures&) = delete;
    UnitFeatures& operator=(const UnitFeatures&) = delete;

    /// Whether the features differ between time bins.
    InTime in_time();

    /// The Gram of the concatenated `layers`, of features that change in time in `bins` (one bin
    /// after the other). `wanted` are all layers that the unit still needs: if the network has to
    /// run, it runs once for those of them that lack a Gram, or features that a score needs.
    LayerGram gram_of(const config::LayerSet& layers, const std::vector<OpenLayer>& wanted,
                      const core::TimeBins& bins = {});

    /// For which of the wanted layers the network runs if it has to.
    enum class PassFor {
        needed,      ///< those whose Gram, or whose features if a score needs them, are not on disk
        all_columns  ///< all of whose features there may be no more than Grams
    };

    /// The features of the concatenated `layers`; the network runs again where only Grams are left.
    FeatureColumns columns_of(const config::LayerSet& layers, const std::vector<OpenLayer>& wanted,
                              const core::TimeBins& bins = {},
                              PassFor pass_for = PassFor::all_columns);

    /// Throws `core::TransientError` if stored features, or those that a PCA is fitted on, are in
    /// other files than when they were opened: what was read of them is not to be recorded.
    void require_unchanged();
    /// The same without an error, on the first rank alone.
    bool are_unchanged() const;

    /// The stimulus ids of the Gram's rows, of one time bin.
    const std::vector<std::string>& stimulus_ids();

    /// Their labels that the benchmark's splits are drawn by: those of the stored features, or of
    /// the stimulus set of its own dataset, whose table may differ from that of another one with
    /// the same images.
    metrics::SplitLabels split_labels(const benchmarks::BenchmarkRecord& benchmark);

    /// What all passes of the network so far took, with its trial.
    double extraction_seconds() const;

    /// At the unit's end: removes its activations and projections, also those of earlier runs, if
    /// they are not to be kept and nobody else uses them; then those of any unit that are beyond
    /// the budget, if there is one.
    void discard_activations();

private:
    /// What a pass of the network may be made for.
    struct Wanted {
        const std::vector<OpenLayer>& layers;
        PassFor pass_for = PassFor::needed;
        core::TimeBins bins = {};
    };

    LayerGram gram_of_stored(const LayerColumns& layer, const std::string& key);
    LayerColumns layer_columns(const std::string& layer, const Wanted& wanted);
    /// As the network gave them or as they are stored, in each time bin of theirs.
    LayerColumns own_columns(const std::string& layer, const Wanted& wanted);
    LayerColumns stored_columns(const std::string& layer);
    LayerColumns recorded_columns(const std::string& layer, const Wanted& wanted);
    /// Of the files on the first rank alone.
    void require_files() const;
    /// What each rank has of the model's file.
    FeaturesAtHand at_hand() const;
    /// Where the layer's projection on the components of the model's PCA is, made now if need be;
    /// empty if the layer is used as it is.
    std::string projected(const std::string& layer, const Wanted& wanted);
    std::string projection_path(const std::string& layer) const;
    bool has_projection(const std::string& path);
    const core::Assembly& projection_at(const std::string& path);
    /// `layer`, whose projection may be damaged, and those of which there is none yet.
    std::vector<OpenLayer> to_project(const std::string& layer,
                                      std::vector<OpenLayer> layers) const;
    void project(const LayerColumns& layer, const Wanted& wanted, const std::string& path);
    UnitFeatures& fitting_features();
    /// The stored features that its PCA is fitted on, on the first rank.
    StoredFeatures open_fitting_for(const std::string& layer) const;
    std::string pca_place(const std::string& layer) const;
    /// Of the model's features, on the first rank; none if they do not change in time.
    core::TimeBins own_bins() const;
    LayerGram layer_gram(const std::string& layer, const Wanted& wanted);
    std::string gram_key(const std::string& layer, const core::TimeBins& bins) const;
    /// Of the rows of a Gram, in `bins` one after the other.
    FeatureNames feature_names(const core::TimeBins& bins);
    void open_stored();
    /// Other runs may remove the files from here on.
    void release_files();
    /// Of activations and projections, also those that the PCA is fitted on.
    std::uint64_t bytes_in_use() const;
    void open_activations(const std::string& layer, const Wanted& wanted);
    /// Whether the network need not run for the layer.
    bool is_on_disk(const OpenLayer& layer, PassFor pass_for) const;
    /// `layer` and what else of `wanted` can be recorded and is not on disk.
    std::vector<std::string> to_extract(const std::string& layer, const Wanted& wanted) const;
    bool is_stored() const;

    const PlannedUnit& unit_;
    const UnitInputs& inputs_;
    TeamContext& context_;
    const models::ModelRecord& model_;
    ActivationsInUse in_use_;  ///< and projections, on the first rank
    UnitActivations activations_;
    std::optional<StoredFeatures> stored_;  ///< on the first rank
    struct ReadProjection {
        std::string path;
        core::Assembly features;
    };
    std::optional<ReadProjection> projection_;  ///< the latest, on the first rank
    std::vector<std::string> stimulus_ids_;
    PlannedUnit fitting_unit_;  ///< the images that the PCA is fitted on, if there is one
    std::unique_ptr<UnitFeatures> fitting_;
};

}  // namespace ventral::pipeline
