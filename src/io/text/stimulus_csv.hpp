#pragma once
/// @file
/// Stimulus sets from a CSV table and a folder of images, as BrainIO packages them.

#include <optional>
#include <string>

#include "core/stimulus_set.hpp"

namespace ventral::io {

struct StimulusSource {
    std::string identifier;
    std::string csv;
    std::string folder;
    double visual_degrees = 0;  ///< where the table has no column for it
    std::string folder_choice = "the key 'folder' in the TOML";  ///< what names it, for messages
};

/// Reads the table: `stimulus_id` (or `image_id`) and `filename` (or `image_file_name`, relative to
/// the folder) are needed; `visual_degrees` or `degrees` gives each stimulus its own width. Of the
/// columns, kept with these last two, all integers become int64, all numbers (empty = NaN) float64,
/// others strings; a column without a name is left out. Throws `InputError` with file:line for a
/// malformed table, a missing column, no stimuli, an id twice or a bad width, and one that gives
/// the count and the first if image files are missing.
core::StimulusSet read_stimulus_set(const StimulusSource& source);

/// The text of a warning if `stated_degrees` is given and the table's column has another width for
/// any of the `stimuli`, which were read of `csv`. It tells no width of the table.
std::optional<std::string> degrees_warning(const std::string& csv,
                                           std::optional<double> stated_degrees,
                                           const core::StimulusSet& stimuli);

}  // namespace ventral::io
