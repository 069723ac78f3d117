#pragma once
/// @file
/// The options of `extract` that say which images a network is shown, and what they name.

#include <cstddef>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "core/stimulus_set.hpp"

namespace ventral::jobs {

struct StimulusArguments {
    std::string images;         ///< a folder of them, or a table
    std::string images_folder;  ///< of the images that tables name; empty: that of each table
    std::optional<double> degrees;
    std::optional<std::size_t> count;
};

void add_stimulus_options(CLI::App& sub, StimulusArguments& arguments);

/// The images of the folder `images`, by name, or of such a table; `degrees` is the width of those
/// that a table gives none. --images-folder is refused with a folder of images unless `is_fitted`,
/// since there is another table then. Throws `core::InputError`.
core::StimulusSet read_stimuli(const StimulusArguments& arguments, const std::string& images,
                               double degrees, bool is_fitted);

/// Leaves out all images but the first `count`.
void keep_first(core::StimulusSet& stimuli, std::size_t count);

/// Warns if --degrees does not say what the table says.
void warn_of_degrees(const StimulusArguments& arguments, const std::string& table,
                     const core::StimulusSet& stimuli);

}  // namespace ventral::jobs
