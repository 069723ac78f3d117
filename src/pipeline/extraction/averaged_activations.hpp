#pragma once
/// @file
/// The features that benchmarks are given of an activations file.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/time_bin.hpp"
#include "io/activations/activations_file.hpp"

namespace ventral::pipeline {

/// Of each stimulus the average over its trials, and of activations in time the average over time
/// that `models::align_time_bins` takes: added up in the order of trials and time in float64 and
/// rounded to float32.
class AveragedActivations {
public:
    /// Each `trials` rows of `file`, which must outlive it, are those of a stimulus. `bins` are
    /// none of activations without time bins; of others none are their own, as they are. Throws
    /// `core::InputError` for a bin that the activations do not cover.
    AveragedActivations(const io::ActivationsFile& file, std::size_t trials,
                        const core::TimeBins& bins = {});

    /// The stimuli of the first bin, then those of the second.
    std::size_t rows() const { return stimuli() * weights_.size(); }
    /// Of the file, as `io::ActivationsFile::find`.
    const io::LayerShape* find(const std::string& layer) const { return file_->find(layer); }

    /// Features `first` … `first + count - 1` of all rows; `out` is rows × count. Of the file it
    /// reads the time bins that the rows are made of, each once. Throws as
    /// `io::ActivationsFile::read_columns`.
    void read_columns(const std::string& layer, std::size_t first, std::size_t count,
                      std::span<float> out) const;

    /// The same as slabs of `io::chunk_features` columns, one after the other; `first` is a
    /// multiple of that.
    void read_slabs(const std::string& layer, std::size_t first, std::size_t count,
                    std::span<float> out) const;

private:
    std::size_t stimuli() const { return file_->rows() / trials_; }
    void average(const std::vector<const float*>& of_stimulus, const std::vector<double>& weights,
                 std::span<float> out) const;

    const io::ActivationsFile* file_;
    std::size_t trials_;
    std::vector<std::size_t> read_bins_;  ///< of the file's, those that some row is made of
    std::vector<std::vector<double>>
        weights_;  ///< per bin that is read, for each of the rows' bins
};

/// The fewest whose rows, one a trial, fill chunks of a file: as many are averaged at once.
std::size_t stimuli_in_whole_chunks(std::size_t rows_in_chunk, std::size_t trials);

}  // namespace ventral::pipeline
