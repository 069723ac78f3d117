#pragma once
/// @file
/// Stage 2 of a unit: the Gram of a layer, from the activations (`gram_checkpoint.hpp`: from disk).

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "metrics/regression_fit.hpp"
#include "pipeline/fit/feature_columns.hpp"
#include "pipeline/fit/shared_slabs.hpp"
#include "pipeline/schedule/team_context.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::pipeline {

/// What `stats::GramSums` views; every rank has its own.
struct LayerSums {
    std::vector<double> centred_times_mean, row_sums, row_extremes;
    double mean_squared = 0;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& centred_times_mean& row_sums& row_extremes& mean_squared;
    }
};

/// Numbers in memory that the ranks of a team share.
struct SharedDoubles : std::span<double> {
    std::unique_ptr<comm::SharedMemory> memory;
};

/// So many zeros. Collective.
SharedDoubles share_doubles(std::size_t count, comm::Communicator& team);

/// K of a layer, or what stands for it.
struct LayerGram {
    /// rows × rows, its own offset (see `stats/gram/gram.hpp`); empty where the features stand for
    /// it (`stats::has_narrow_form`).
    SharedDoubles kernel;
    std::size_t rows = 0;
    std::size_t features = 0;
    LayerSums sums;
    /// The features in the small form of `stats/gram/reduced_features.hpp`, rows × min(rows,
    /// features) column by column: always there where they are fewer than the rows, else once
    /// `make_reduced` has made it; else empty.
    SharedDoubles reduced;
};

/// What the metrics work on. The Gram must outlive it.
metrics::FeatureForms forms_of(const LayerGram& gram);

/// What is said of features, and to be true of them.
struct FeatureNames {
    std::string place;                      ///< the file, or the model
    std::vector<std::string> stimulus_ids;  ///< of the rows; none if they may not be shown
    /// Throws `core::TransientError` if the file is another one since it was opened. For the first
    /// rank.
    std::function<void()> require_unchanged = {};
};

/// Builds the Gram of `layer`, slab by slab through the first rank, and writes its checkpoint
/// (unless Grams are to be discarded). Throws as `stats::build_gram`, on all ranks, with the first
/// feature and stimulus that are NaN or infinite. Collective.
LayerGram make_gram(const FeatureSource& source, const std::string& layer, const std::string& key,
                    TeamContext& context, const FeatureNames& names = {});

/// Makes `gram.reduced` from the features, which the team's first rank reads. Throws
/// `comm::CollectiveError` on all ranks if they cannot be read, `core::Interrupted` if one is asked
/// to stop, and what `require_unchanged` throws once they are read; then it leaves the Gram as it
/// was. Collective.
void make_reduced(
    LayerGram& gram, const FeatureColumns& columns, TeamContext& context,
    const std::function<void()>& require_unchanged = [] {});

/// Adds `more` to `sum`: the Gram of the concatenated features. Collective.
void add_gram(LayerGram& sum, LayerGram more, TeamContext& context);

/// K over a list of rows, in its order; rows may repeat. Its entries are those of `gram`, to their
/// rounding where features stand for it and these rows need K itself. Collective.
LayerGram gather_rows(const LayerGram& gram, const std::vector<std::size_t>& rows,
                      TeamContext& context);

}  // namespace ventral::pipeline
