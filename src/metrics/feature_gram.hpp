#pragma once
/// @file
/// The Gram of the features that a process scores by itself, or what stands for it where they are
/// few.

#include <memory>
#include <optional>

#include "core/workers.hpp"
#include "metrics/feature_slabs.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/kernel.hpp"
#include "stats/gram/reduced_features.hpp"

namespace ventral::metrics {

class FeatureGram {
public:
    /// Reads all features. Throws as `stats::build_gram`.
    FeatureGram(FeatureSlabs& slabs, core::Workers& workers);
    ~FeatureGram();
    FeatureGram(const FeatureGram&) = delete;
    FeatureGram& operator=(const FeatureGram&) = delete;

    /// Views of what this holds.
    stats::Kernel kernel() const;
    stats::GramSums sums() const;
    /// The centred features, if they stand for the Gram.
    std::optional<stats::ReducedFeatures> features() const;

private:
    struct Held;
    struct Narrow;
    std::unique_ptr<Held> held_;  ///< one of the two
    std::unique_ptr<Narrow> narrow_;
};

}  // namespace ventral::metrics
