#pragma once
/// @file
/// The activations of one unit: found on disk, or made by passes of its network.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "io/activations/activations_file.hpp"
#include "pipeline/extraction/activations_budget.hpp"
#include "pipeline/fit/feature_columns.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

struct UnitInputs;

/// Calls that are collective over the team throw as those of `UnitFeatures`.
class UnitActivations {
public:
    /// `in_use` gets the files that are open; all that is given must outlive this.
    UnitActivations(const PlannedUnit& unit, const UnitInputs& inputs, TeamContext& context,
                    ActivationsInUse& in_use);

    /// Which layers a pass is to record.
    using LayersOfPass = std::function<std::vector<std::string>()>;

    /// Opens a file that has the layer. Where there is none, the network runs for those of
    /// `layers_of_pass`, which the first rank is asked for and which have this layer among them.
    /// Collective.
    void open(const std::string& layer, const LayersOfPass& layers_of_pass);
    /// What is open, on the first rank.
    const std::optional<io::ActivationsFile>& file() const { return file_; }
    /// Of a layer of the file that is open. Collective.
    LayerColumns columns(const std::string& layer) const;
    /// The files may be removed from here on.
    void close() { file_.reset(); }

    /// Whether a file has the layer, which may be damaged.
    bool is_recorded(const std::string& layer) const;
    /// Whether a pass has found out that the layer cannot be recorded.
    bool is_unrecordable(const std::string& layer) const;

    /// What all passes so far took, with the network's trial.
    double seconds() const { return seconds_; }

private:
    std::string find(const std::string& layer);
    void check_recordable(const std::string& layer);
    void extract_or_remember(const std::vector<std::string>& layers);
    void extract_layers(const std::vector<std::string>& layers);
    /// Those that can be recorded; the others are remembered.
    void extract_recordable(std::vector<std::string> layers);
    /// Throws `core::TransientError` on the first rank if weights or images are others than the
    /// plan's.
    void require_inputs_of_pass() const;
    void forget_unrecordable(std::vector<std::string>& layers);

    const PlannedUnit& unit_;
    const UnitInputs& inputs_;
    TeamContext& context_;
    ActivationsInUse& in_use_;
    std::string prefix_;                                      ///< of the names of files
    std::map<std::string, core::Failure> unrecordable_;       ///< layer → why
    std::optional<io::ActivationsFile> file_;                 ///< on the first rank
    std::string path_;                                        ///< its path, on every rank
    std::string written_path_;                                ///< of the latest extraction
    std::set<std::pair<std::string, std::string>> verified_;  ///< (path, layer)
    std::set<std::string> damaged_paths_;                     ///< that are warned of
    double seconds_ = 0;
};

}  // namespace ventral::pipeline
