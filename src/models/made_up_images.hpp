#pragma once
/// @file
/// Images to try a network on before any stimulus is read.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/errors.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::models {

/// Noise in the range of normalised pixels, always the same. Black images would not do: some
/// networks refuse them, divide by their contrast or never end on them.
std::vector<float> made_up_images(BatchShape shape);

/// What `attempt` gives for them, or for black ones where the network refuses noise: it may look
/// pixels up in a table. Throws the `core::InputError` that noise gave if it refuses both.
template <typename Attempt>
auto on_made_up_images(BatchShape shape, const Attempt& attempt) {
    const auto noise = made_up_images(shape);
    try {
        return attempt(std::span<const float>(noise));
    } catch (const core::InputError&) {
        try {
            return attempt(std::span<const float>(std::vector<float>(noise.size())));
        } catch (const core::InputError&) {
        }
        throw;
    }
}

/// What `attempt` gives for a batch of the first of these numbers of images that the network takes:
/// a trace may hold the size of its batch. Throws what the last of them throws.
template <typename Attempt>
auto on_a_batch(InputShape input, const std::vector<std::int64_t>& images, const Attempt& attempt) {
    for (std::size_t i = 0;; ++i) {
        try {
            return attempt(BatchShape{images[i], input[0], input[1], input[2]});
        } catch (const core::InputError&) {
            if (i + 1 == images.size()) throw;
        }
    }
}

}  // namespace ventral::models
