#pragma once
/// @file
/// The network of an extraction on one rank, and what it gives for single batches.

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "core/time_bin.hpp"
#include "io/activations/packed_rows.hpp"
#include "models/recording/recorder.hpp"
#include "pipeline/extraction/extract.hpp"
#include "stimuli/microsaccades.hpp"
#include "stimuli/preprocessing.hpp"

namespace ventral::pipeline {

/// What one batch gave, on the rank that ran it: `models::images_at_once`, in as many passes of the
/// network as those take.
struct BatchOutput {
    std::size_t batch = 0;
    std::size_t first_row = 0;                ///< of the file
    std::size_t rows = 0;                     ///< stimuli × trials
    std::vector<models::LayerOutput> layers;  ///< without padding
    /// In place of the layers' values, if compressed: of each layer chunk after chunk.
    std::vector<std::vector<io::PackedRows>> packed;
    /// Of layers with values that are NaN or infinite, by place in the request: the first such row
    /// of the file.
    std::map<std::size_t, std::size_t> odd_rows;
    double images_s = 0;
    double network_s = 0;
    double packing_s = 0;
};

/// Of the file that a request asks for.
core::TimeBins time_bins_of(const ExtractRequest& request);

/// Throws `core::InputError`: not all batches, or trials, have the layer in one shape.
[[noreturn]] void throw_changed_shape(const models::ModelRecord& model, const std::string& layer);

/// Runs single batches; used by several workers at once.
class BatchRunner {
public:
    /// Loads the network. `compression` of what batches give, 0: none. Throws `core::InputError`.
    BatchRunner(const ExtractRequest& request, int compression, int local_rank);
    ~BatchRunner();
    BatchRunner(const BatchRunner&) = delete;
    BatchRunner& operator=(const BatchRunner&) = delete;

    const ExtractRequest& request() const { return request_; }

    std::size_t batches() const;
    std::size_t rows_in_chunk() const;

    /// Where each trial looks; nothing of a single trial.
    const std::vector<stimuli::Microsaccade>& shifts() const { return shifts_; }

    BatchOutput run(std::size_t batch) const;

    /// What `run` gave in `layers` is needed no more: a batch to come has its memory.
    void reuse(std::vector<models::LayerOutput> layers) const;

private:
    /// The images of a batch that are not its padding.
    struct Images {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    /// Images of a batch, and of one pass of the network.
    std::size_t batch_size() const { return models::images_at_once(request_.model); }
    std::size_t pass_size() const { return request_.model.batch_size; }
    /// Of so many images with the padding of the last pass.
    std::size_t padded(std::size_t images) const;
    void run_once(BatchOutput& output, const std::vector<float>& pixels, std::size_t images) const;
    void run_trials(BatchOutput& output, const std::vector<float>& pixels) const;
    std::vector<models::LayerOutput> record(const std::vector<float>& pixels,
                                            std::vector<models::LayerOutput> used) const;
    /// Outputs that are needed no more, or none.
    std::vector<models::LayerOutput> spare() const;
    /// All images of a batch at another place.
    std::vector<float> shifted(std::span<const float> pixels,
                               const stimuli::Microsaccade& shift) const;
    /// Puts the rows of one trial between those of the others.
    void add_trial(BatchOutput& output, std::size_t trial,
                   const std::vector<models::LayerOutput>& recorded) const;
    void pack(BatchOutput& output) const;
    std::vector<float> load(const Images& images) const;
    std::vector<float> load_image(std::size_t row) const;

    ExtractRequest request_;
    int compression_;
    models::LayerRecorder recorder_;
    stimuli::TensorShape shape_;
    std::vector<stimuli::Microsaccade> shifts_;
    mutable std::mutex mutex_;
    mutable std::vector<std::vector<models::LayerOutput>> spare_;
};

}  // namespace ventral::pipeline
