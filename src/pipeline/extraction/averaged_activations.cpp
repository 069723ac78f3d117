#include "pipeline/extraction/averaged_activations.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "models/time_bins.hpp"

namespace ventral::pipeline {
namespace {

/// Of each wanted bin, one for each bin of the file.
std::vector<std::vector<double>> weights_of(const io::ActivationsFile& file,
                                            const core::TimeBins& bins) {
    const std::size_t there = file.time_bins().size();
    assert(bins.empty() || there > 0);
    if (there == 0) return {{1.0}};
    if (!bins.empty())
        return models::covering_weights("the model's features", file.time_bins(), bins,
                                        models::TimeAlignment::portion);
    std::vector<std::vector<double>> own(there, std::vector<double>(there, 0.0));
    for (std::size_t bin = 0; bin < there; ++bin) own[bin][bin] = 1;
    return own;
}

/// The positions at which some of the weights are not zero.
std::vector<std::size_t> weighted(const std::vector<std::vector<double>>& weights) {
    std::vector<std::size_t> positions;
    for (std::size_t bin = 0; bin < weights.front().size(); ++bin)
        if (std::any_of(weights.begin(), weights.end(),
                        [&](const auto& of_row) { return of_row[bin] > 0; }))
            positions.push_back(bin);
    return positions;
}

}  // namespace

std::size_t stimuli_in_whole_chunks(std::size_t rows_in_chunk, std::size_t trials) {
    return rows_in_chunk / std::gcd(rows_in_chunk, trials);
}

AveragedActivations::AveragedActivations(const io::ActivationsFile& file, std::size_t trials,
                                         const core::TimeBins& bins)
    : file_(&file), trials_(trials) {
    const auto all = weights_of(file, bins);
    read_bins_ = weighted(all);
    for (const auto& of_row : all) {
        auto& of_read = weights_.emplace_back();
        for (const auto bin : read_bins_) of_read.push_back(of_row[bin]);
    }
}

void AveragedActivations::read_columns(const std::string& layer, std::size_t first,
                                       std::size_t count, std::span<float> out) const {
    const bool in_time = !file_->time_bins().empty();
    if (trials_ == 1 && !in_time) return file_->read_columns(layer, first, count, out);
    const std::size_t at_once = stimuli_in_whole_chunks(file_->chunk_rows(layer), trials_);
    std::vector<std::vector<float>> blocks(read_bins_.size());
    std::vector<const float*> of_stimulus(blocks.size());
    for (std::size_t begin = 0; begin < stimuli(); begin += at_once) {
        const std::size_t end = std::min(begin + at_once, stimuli());
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            io::ActivationsFile::Part place{begin * trials_, (end - begin) * trials_, first, count};
            if (in_time) place.time_bin = read_bins_[b];
            blocks[b].resize(place.rows * count);
            file_->read_block(layer, place, blocks[b]);
        }
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t b = 0; b < blocks.size(); ++b)
                of_stimulus[b] = blocks[b].data() + (i - begin) * trials_ * count;
            for (std::size_t bin = 0; bin < weights_.size(); ++bin)
                average(of_stimulus, weights_[bin],
                        out.subspan((bin * stimuli() + i) * count, count));
        }
    }
}

void AveragedActivations::read_slabs(const std::string& layer, std::size_t first, std::size_t count,
                                     std::span<float> out) const {
    if (trials_ == 1 && file_->time_bins().empty())
        return file_->read_slabs(layer, first, count, out);
    for (std::size_t done = 0; done < count; done += io::chunk_features) {
        const auto width = std::min(io::chunk_features, count - done);
        read_columns(layer, first + done, width, out.subspan(rows() * done, rows() * width));
    }
}

/// `of_stimulus` is, for each bin that is read, trials × features.
void AveragedActivations::average(const std::vector<const float*>& of_stimulus,
                                  const std::vector<double>& weights, std::span<float> out) const {
    std::vector<double> sums(out.size(), 0.0);
    for (std::size_t trial = 0; trial < trials_; ++trial)
        for (std::size_t b = 0; b < weights.size(); ++b) {
            if (!(weights[b] > 0)) continue;
            const float* values = of_stimulus[b] + trial * sums.size();
            for (std::size_t j = 0; j < sums.size(); ++j)
                sums[j] += static_cast<double>(values[j]) * weights[b];
        }
    double weight = 0;
    for (const double each : weights) weight += each;
    for (std::size_t j = 0; j < sums.size(); ++j)
        out[j] = static_cast<float>(sums[j] / weight / static_cast<double>(trials_));
}

}  // namespace ventral::pipeline
