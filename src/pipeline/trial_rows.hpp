#pragma once
/// @file
/// Several trials of a stimulus: a row of activations for each, and their average for benchmarks.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/stimulus_set.hpp"
#include "io/activations_file.hpp"
#include "stimuli/microsaccades.hpp"

namespace ventral::pipeline {

/// A row for each stimulus and each trial, the trials of a stimulus one after the other, with the
/// columns `trial`, counted from 0, and `microsaccade_shift_x_pixels`, `…_y_pixels`,
/// `…_x_degrees` and `…_y_degrees`, as Brain-Score calls them, before those of the stimuli.
core::StimulusSet with_trials(const core::StimulusSet& stimuli,
                              const std::vector<stimuli::Microsaccade>& shifts);

/// The features that benchmarks are given of an activations file: of each stimulus the average over
/// its trials, added up in their order in float64 and rounded to float32.
class TrialAverages {
public:
    /// `trials` rows of `file`, which must outlive it, are those of a stimulus.
    TrialAverages(const io::ActivationsFile& file, std::size_t trials);

    std::size_t stimuli() const { return file_->rows() / trials_; }
    const std::vector<io::LayerShape>& layers() const { return file_->layers(); }

    /// Features `first` … `first + count - 1` of all stimuli; `out` is stimuli × count. Throws as
    /// `io::ActivationsFile::read_columns`.
    void read_columns(const std::string& layer, std::size_t first, std::size_t count,
                      std::span<float> out) const;

private:
    const io::ActivationsFile* file_;
    std::size_t trials_;
};

}  // namespace ventral::pipeline
