#pragma once
/// @file
/// Placing a stimulus that was shown at some visual degrees on a model's screen of others.

#include "stimuli/image.hpp"

namespace ventral::stimuli {

/// Brain-Score's `place_on_screen`: a larger screen is a grey (128) RGB canvas with the image in
/// its middle, a smaller one crops the middle and keeps the mode; equal degrees leave the image
/// alone. The reference saves the result under the old name: where `image.path` ends in .jpg,
/// .jpeg, .jpe or .jfif it therefore passes through a JPEG of quality 75, as it does here. Throws
/// `InputError` if degrees are not finite and positive, the result is empty or too large, or JPEG
/// cannot hold its mode.
Image place_on_screen(Image image, double stimulus_degrees, double screen_degrees);

}  // namespace ventral::stimuli
