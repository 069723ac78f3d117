#include "pipeline/extraction/open_layers.hpp"

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "core/add_once.hpp"

namespace ventral::pipeline {
namespace {

using Bins = core::TimeBins;

std::vector<Bins> grams_of(const config::RunRecord& run, const PlannedScore& score,
                           RecordingsReader& recordings, InTime in_time) {
    if (in_time == InTime::changing && !recordings.is_prepared(score.benchmark)) return {};
    // Of what cannot be scored the reader will say so again where these scores are in work.
    return gram_bins(run, score, recordings, in_time).value_or(std::vector<Bins>());
}

/// Layers by name, in the order in which they are first asked for.
class Layers {
public:
    OpenLayer& named(const std::string& name) {
        const auto [place, is_new] = place_of_.try_emplace(name, layers_.size());
        return is_new ? layers_.emplace_back(OpenLayer{name, {}}) : layers_[place->second];
    }
    std::vector<OpenLayer> take() { return std::move(layers_); }

private:
    std::vector<OpenLayer> layers_;
    std::unordered_map<std::string, std::size_t> place_of_;
};

}  // namespace

std::vector<OpenLayer> open_layers(const config::RunRecord& run, const PlannedUnit& unit,
                                   const Finished& finished, RecordingsReader& recordings,
                                   InTime in_time) {
    Layers layers;
    for (const auto& score : unit.scores) {
        if (finished.is_done(score.key)) continue;
        const auto& metric = metrics::find_metric(run.benchmarks[score.benchmark].metric.name);
        const auto grams = grams_of(run, score, recordings, in_time);
        for (const auto& name : score.layers) {
            auto& known = layers.named(name);
            if (!metrics::needs_gram(metric)) {
                known.columns = known.columns || !grams.empty();
                continue;
            }
            for (const auto& bins : grams) core::add_once(known.grams, bins);
        }
    }
    return layers.take();
}

}  // namespace ventral::pipeline
