#pragma once
/// @file
/// What earlier runs have left on disk of the layers of a unit. By names and tables of contents
/// alone: whether the values are whole is seen when they are used.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/time_bin.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct LayerFiles {
    bool gram = false;
    bool projection = false;   ///< on the components of the model's PCA
    bool activations = false;  ///< as the network gave them
};

/// "Gram and activations", "activations", "nothing".
std::string description(const LayerFiles& files);

/// For a file in OUT that is gone while a run uses it, which is no fault of the input. Throws
/// `core::OutputError`.
[[noreturn]] void throw_removed(const std::string& path);

class Checkpoints {
public:
    /// Nothing is there.
    Checkpoints() = default;
    /// Looks into the output folder `out` once; `fingerprint` as in `TeamContext`.
    Checkpoints(std::string out, std::string fingerprint);

    /// `bins` are those of a Gram of features that change in time; empty: they do not.
    LayerFiles of(const PlannedUnit& unit, const std::string& layer,
                  const core::TimeBins& bins = {});
    /// Whether there are activations of `layer` by their key.
    bool has_activations(const std::string& activations, const std::string& layer);
    /// Takes activations of the layers for there: those who ask next come after who makes them.
    void expect_activations(const std::string& activations, const std::set<std::string>& layers);
    /// Likewise a Gram, by its `gram_key` without a fingerprint.
    void expect_gram(const std::string& key) { expected_grams_.insert(key); }

private:
    std::string out_;
    std::string fingerprint_;
    std::map<std::string, std::vector<std::string>> files_;   ///< prefix → paths
    std::map<std::string, std::set<std::string>> layers_in_;  ///< prefix → layers
    std::map<std::string, std::set<std::string>> expected_;   ///< key of activations → layers
    std::set<std::string> expected_grams_;
};

}  // namespace ventral::pipeline
