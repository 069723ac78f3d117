#pragma once
/// @file
/// Stage 1 of a unit: all stimuli through the network, wanted layers into one file.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/dataset_record.hpp"
#include "core/stimulus_set.hpp"
#include "io/activations/activations_shape.hpp"
#include "models/model_record.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

struct ExtractRequest {
    const models::ModelRecord& model;
    const core::StimulusSet& stimuli;
    std::vector<std::string> layers;
    std::string key;   ///< of the activations
    std::string path;  ///< of the file to write
    /// Of restricted stimuli neither the file nor an error says more than their number.
    benchmarks::Access access = benchmarks::Access::open;
    std::size_t trials = 1;  ///< of each stimulus, which microsaccades tell apart
    /// Called on every rank once the first batches tell the shapes of the layers; what it throws
    /// ends the extraction. May be empty.
    std::function<void(const std::vector<io::LayerShape>&)> check_shapes = {};
    /// Called on the first rank when all is written and the file has no name yet; what it throws
    /// ends the extraction, which leaves none. For what may have changed while it was read. May be
    /// empty.
    std::function<void()> check_inputs = {};
};

/// Where the time went, in seconds.
struct ExtractTiming {
    double load = 0;     ///< of the network, on the slowest rank
    double extract = 0;  ///< from then to the finished file, on the slowest rank
    double images = 0;   ///< reading, decoding and preparing images, added up over all workers
    double network = 0;  ///< forward passes, added up over all workers
    double write = 0;    ///< compressing rows and writing them, added up over workers and ranks

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& load& extract& images& network& write;
    }
};

struct Extracted {
    ExtractTiming timing;
    /// Layer → the first row of the file with a value that is NaN or infinite, if there is any.
    std::map<std::string, std::size_t> odd_rows;
};

/// Runs the network on whole batches (the last one padded with its last image; padding is not
/// written) on whichever worker of whichever rank of the team is free, and writes the activations
/// file together with them: workers go on with their next batch while the main thread writes, so
/// that at most two batches of a worker are in memory. Which rank runs a batch changes no bit.
/// Weights are loaded once per rank. Several trials are as many passes of a batch, each as in
/// Brain-Score at another place of the images (`stimuli::microsaccades`); they are written as
/// `with_trials` says. Brain-Score has the rows of a batch trial by trial but calls them stimulus
/// by stimulus, so that its names are those of other rows unless batches are of one image. Throws
/// `comm::CollectiveError` on all ranks (with one rank `core::InputError`) if a file or a layer is
/// wrong, `core::Interrupted` if asked to stop before the last batch is done. Collective.
Extracted extract(const ExtractRequest& request, TeamContext& context);

}  // namespace ventral::pipeline
