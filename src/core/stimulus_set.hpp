#pragma once
/// @file
/// A stimulus set: image files with their identifiers and metadata columns, in order.

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// One column of the stimulus table; an entry per stimulus.
struct Column {
    std::string name;
    Values values;
};

/// Row i of every member belongs to stimulus i. `stimulus_ids` are unique.
struct StimulusSet {
    std::string identifier;
    std::vector<std::string> stimulus_ids;
    std::vector<std::string> files;      ///< image paths that can be opened
    std::vector<double> visual_degrees;  ///< width of each image in degrees of visual angle
    std::vector<Column> columns;  ///< all other columns of the table, `stimulus_id` not among them
};

/// Gives the presentations of `assembly` the columns of `stimuli` as coordinates, matched by
/// `stimulus_id`; a coordinate that the assembly has already keeps its values.
/// Throws `InputError` if a presentation's stimulus is not in the set.
Assembly merge_stimulus_columns(const Assembly& assembly, const StimulusSet& stimuli);

}  // namespace ventral::core
