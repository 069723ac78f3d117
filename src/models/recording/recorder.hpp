#pragma once
/// @file
/// Records what chosen layers of a network give for images, all layers in one pass of each batch.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/network/network.hpp"

namespace ventral::models {

/// Sizes without the batch: {channel, y, x}, or {feature} behind a linear layer.
using LayerShape = std::vector<std::int64_t>;

/// Stimulus-major: the values of stimulus i are `values[i · p … (i + 1) · p)`, p the product of
/// `shape`, in the order of `torch.flatten(output, 1)` whatever the memory layout.
struct LayerOutput {
    LayerShape shape;
    std::vector<float> values;
};

/// Channels, height and width of a network's input.
using InputShape = std::array<std::int64_t, 3>;
/// {batch, channel, y, x} of the input of one pass.
using BatchShape = std::array<std::int64_t, 4>;

/// "NETWORK: forward failed for a batch of 16 x 3 x 224 x 224".
std::string forward_failed(const Network& network, BatchShape shape);

/// The values are those that a forward hook of PyTorch sees for the same batch: the last call where
/// a layer is called several times, not yet changed by an operator that works in place. NaN and
/// infinities stay. Of a tuple it is the first member; a layer's name can choose another one, and
/// has to for a list or a dict: "encoder[1]", "head[out]" (`layer_name.hpp`).
/// What a network stores in itself during a pass is gone after it: each starts from what was
/// loaded, and draws the random numbers of its batch (`own_draws.hpp`).
class LayerRecorder {
public:
    /// `layers` may name a layer twice. Throws `core::InputError` for a layer that is not there
    /// (with the near names), is never called, returns no tensor or lacks the member that is
    /// chosen.
    LayerRecorder(const Network& network, const std::vector<std::string>& layers);

    const std::vector<std::string>& layers() const { return layers_; }

    /// Throws `core::InputError` if these layers are made by operators that give other values in
    /// the network's memory layout than in PyTorch's (`layout_operators.hpp`).
    void check_layout() const;

    /// One entry per layer, in their order, of as many batches as `images` holds, one pass after
    /// the other. Runs on the calling thread alone, on a GPU on the thread of that
    /// (`device_thread.hpp`); any number of threads may call it at once. The bits depend on the
    /// batch size, so that it should always be the same.
    ///
    /// The memory of `used`, outputs that are needed no more, is used again.
    ///
    /// Throws `core::InputError` with the network's path and libtorch's reason if the network
    /// cannot take a batch, does not call a layer for it, gives it another shape than the one
    /// before or gives no row for each stimulus, what `check_layout` throws, and if
    /// memory runs out `std::bad_alloc`, or of a GPU's an `InputError` of that failure class. The
    /// first call of several stimuli runs a second batch of another size, to know of each layer
    /// that its rows are those of stimuli and not by chance as many.
    std::vector<LayerOutput> record(std::span<const float> images, BatchShape shape,
                                    std::vector<LayerOutput> used = {}) const;

    /// The shapes that `record` would give; nothing for a layer that this batch does not reach or
    /// that has no row of real numbers for each stimulus.
    std::vector<std::optional<LayerShape>> shapes(std::span<const float> batch,
                                                  BatchShape shape) const;

    /// Hands over what the layers give that have a row for each stimulus, by their place in
    /// `layers` and one after the other, so that no more than one is in memory twice; whatever
    /// `check_layout` says of them.
    void look(std::span<const float> batch, BatchShape shape,
              const std::function<void(std::size_t, const LayerOutput&)>& at) const;

private:
    struct Program;
    std::vector<std::string> layers_;
    std::vector<std::size_t> slots_;  ///< of each layer: its place among the different ones
    std::shared_ptr<const Program> program_;
};

}  // namespace ventral::models
