#include "pipeline/averaged_activations.hpp"

#include <algorithm>
#include <cassert>

#include "models/time_bins.hpp"

namespace ventral::pipeline {
namespace {

std::vector<models::TimeBin> bins_of(const std::vector<std::pair<double, double>>& bins) {
    std::vector<models::TimeBin> result;
    for (const auto& [start, end] : bins) result.push_back({start, end});
    return result;
}

std::vector<std::vector<double>> weights_of(const io::ActivationsFile& file,
                                            const std::vector<benchmarks::TimeBin>& bins) {
    assert(file.time_bins().empty() == bins.empty());
    if (bins.empty()) return {{1.0}};
    return models::covering_weights("the model's features", bins_of(file.time_bins()),
                                    bins_of(bins), models::TimeAlignment::portion);
}

}  // namespace

AveragedActivations::AveragedActivations(const io::ActivationsFile& file, std::size_t trials,
                                         const std::vector<benchmarks::TimeBin>& bins)
    : file_(&file), trials_(trials), weights_(weights_of(file, bins)) {}

void AveragedActivations::read_columns(const std::string& layer, std::size_t first,
                                       std::size_t count, std::span<float> out) const {
    if (trials_ == 1 && file_->time_bins().empty())
        return file_->read_columns(layer, first, count, out);
    const std::size_t at_once = file_->rows_in_chunk(layer);  // stimuli: so that chunks are whole
    const std::size_t width = trials_ * weights_.front().size() * count;
    std::vector<float> block;
    for (std::size_t begin = 0; begin < stimuli(); begin += at_once) {
        const std::size_t end = std::min(begin + at_once, stimuli());
        block.resize((end - begin) * width);
        file_->read_block(layer, {begin * trials_, (end - begin) * trials_, first, count}, block);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t bin = 0; bin < weights_.size(); ++bin)
                average(std::span<const float>(block).subspan((i - begin) * width, width),
                        weights_[bin], out.subspan((bin * stimuli() + i) * count, count));
    }
}

/// `of_stimulus` is trials × bins of the file × features.
void AveragedActivations::average(std::span<const float> of_stimulus,
                                  const std::vector<double>& weights, std::span<float> out) const {
    std::vector<double> sums(out.size(), 0.0);
    const float* values = of_stimulus.data();
    for (std::size_t trial = 0; trial < trials_; ++trial)
        for (const double weight : weights) {
            if (weight > 0)
                for (std::size_t j = 0; j < sums.size(); ++j)
                    sums[j] += static_cast<double>(values[j]) * weight;
            values += sums.size();
        }
    double weight = 0;
    for (const double each : weights) weight += each;
    for (std::size_t j = 0; j < sums.size(); ++j)
        out[j] = static_cast<float>(sums[j] / weight / static_cast<double>(trials_));
}

}  // namespace ventral::pipeline
