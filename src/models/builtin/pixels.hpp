#pragma once
/// @file
/// The built-in model `pixels`: what reaches a network, as features. Brain-Score's model of this
/// name takes the RGB values 0..255 of the image resized to 256 × 256 by Pillow's bicubic filter;
/// `configs/models/pixels.toml` states the same as preprocessing.

#include "models/builtin/script_module.hpp"

namespace ventral::models {

/// Bump when a bit of its layer changes.
inline constexpr int pixels_version = 1;

/// Layer "pixels": the preprocessed image, {channel, y, x}.
ScriptModule pixels_network();

}  // namespace ventral::models
