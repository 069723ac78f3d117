#include "pipeline/outlook/unit_memory.hpp"

#include <algorithm>
#include <utility>

#include "core/add_once.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_shape.hpp"
#include "io/activations/activations_slabs.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/extraction/averaged_activations.hpp"
#include "pipeline/inputs/shared_recordings.hpp"
#include "pipeline/outlook/gram_memory.hpp"

namespace ventral::pipeline {
namespace {

constexpr double float64 = sizeof(double);

/// Blocks below `core::large_block` are kept when they are freed, and those of the next score do
/// not always fit in their place: two scores of 12 time bins left 33 MiB of such gaps in 776 MiB.
double left_by_freed(double bytes) {
    return std::min(bytes / 16, static_cast<double>(core::large_block) / 2);
}

/// What the same rank has fitted to the layers already.
enum class Before { nothing, fits };

class StagesOfUnit {
public:
    StagesOfUnit(const config::RunRecord& run, const PlannedUnit& unit, const UnitShape& shape,
                 RecordingsReader& recordings, const Workforce& workforce)
        : run_(run),
          unit_(unit),
          shape_(shape),
          recordings_(recordings),
          workforce_(workforce),
          stimuli_(static_cast<double>(shape.stimulus_ids.size())) {}

    std::vector<MemoryStage> all() {
        add_recordings();
        std::vector<config::LayerSet> layer_sets;
        for (const auto& score : unit_.scores) core::add_once(layer_sets, score.layers);
        for (const auto& layers : layer_sets) add_layers(layers);
        for (auto& stage : stages_) stage.first_rank += shape_.stored_bytes;
        stages_.insert(stages_.begin(), preparing_.begin(), preparing_.end());
        return std::move(stages_);
    }

private:
    /// Those of other units that may be kept still, and those of this one, one after the other.
    void add_recordings() {
        const auto benchmarks = benchmarks_of(unit_);
        recordings_.turn_to(benchmarks);
        double own = 0;
        for (const auto benchmark : benchmarks)
            if (const auto* each = recordings_.prepared_or_null(benchmark))
                own += each->kept_bytes();
        recordings_bytes_ = recordings_.kept_bytes() - own;
        for (const auto benchmark : benchmarks) {
            const auto* each = recordings_.prepared_or_null(benchmark);
            if (!each) continue;
            MemoryStage reading{"recordings of " + run_.benchmarks[benchmark].identifier};
            reading.a_rank = recordings_bytes_;
            auto telling = reading;
            reading.first_rank = each->preparing_bytes();
            preparing_.push_back(reading);
            recordings_bytes_ += each->kept_bytes();
            if (workforce_.ranks == 1) continue;
            telling.a_rank = recordings_bytes_ + telling_bytes(*each);
            preparing_.push_back(telling);
        }
    }

    double features_of(const std::string& layer) const {
        for (const auto& each : shape_.layers)
            if (each.name == layer) return static_cast<double>(each.features);
        return 0;
    }

    std::vector<FitPart> parts_of(const config::LayerSet& layers) {
        std::vector<FitPart> parts;
        for (const auto& score : unit_.scores) {
            if (score.layers != layers) continue;
            const auto* each = recordings_.prepared_or_null(score.benchmark);
            if (!each) continue;
            const auto& metric = metrics::find_metric(run_.benchmarks[score.benchmark].metric.name);
            try {
                for (auto& part : fit_parts(score, *each, metric.time, shape_.in_time))
                    parts.push_back(std::move(part));
            } catch (const core::InputError&) {
                // Recordings without a time for features that change in it.
            }
        }
        return parts;
    }

    void add_layers(const config::LayerSet& layers) {
        const auto parts = parts_of(layers);
        const auto together = by_gram(parts, run_);
        parts_bytes_ = 0;
        for (const auto& part : parts)
            if (shape_.in_time == InTime::changing)
                parts_bytes_ += float64 * static_cast<double>(part.plan->targets.size());
        if (together.empty()) add_grams(layers, 0);
        for (const auto& [needs_gram, same] : together) {
            const auto bins = same.front().bins.size();
            const auto before = &same == &together.front().parts ? Before::nothing : Before::fits;
            if (needs_gram)
                add_fits(layers, add_grams(layers, bins), same, before);
            else
                add_fits_to_features(layers, bins, same, before);
        }
    }

    MemoryStage stage(const std::string& what, const config::LayerSet& layers) const {
        MemoryStage stage{what + layer_text(layers)};
        stage.a_rank = recordings_bytes_ + parts_bytes_;
        return stage;
    }

    /// The part of the stored features that is copied out, while it is made and afterwards.
    struct Copied {
        double making, kept;
    };
    Copied copied(double features, std::size_t bins) const {
        if (shape_.stored_bytes == 0) return {0, 0};
        const double layer = shape_.value_bytes * stimuli_ * features;
        if (bins > 0) {
            const double all = layer * static_cast<double>(shape_.feature_bins);
            const double wanted = layer * static_cast<double>(bins);
            return {all + std::max(all + wanted, 2 * wanted + 2 * layer), wanted};
        }
        if (!shape_.is_copied()) return {0, 0};
        return {layer, layer};
    }

    /// Beside the slabs that the first rank reads.
    double reading_bytes(const GramSize& gram, std::size_t bins) const {
        if (shape_.stored_bytes > 0) return shape_.stored_reading_bytes;
        if (shape_.stimulus_ids.empty()) return 0;
        const auto features = static_cast<std::size_t>(gram.features);
        const auto rows = io::chunk_rows_of(models::images_at_once(run_.models[unit_.model]),
                                            shape_.stimulus_ids.size() * unit_.trials);
        if (unit_.trials == 1 && bins == 0)
            return static_cast<double>(io::slab_reading_bytes(features, rows));
        const auto averaged = std::max<std::size_t>(bins, 1) * unit_.trials *
                              stimuli_in_whole_chunks(rows, unit_.trials);
        return shape_.value_bytes *
               static_cast<double>(averaged * std::min(features, io::chunk_features));
    }

    /// The Grams of the layers one after the other, each added to the sum of those before.
    GramSize add_grams(const config::LayerSet& layers, std::size_t bins) {
        const double rows = stimuli_ * static_cast<double>(std::max<std::size_t>(bins, 1));
        GramSize sum{rows, 0};
        bool has_narrow = false;
        for (const auto& layer : layers) {
            const GramSize gram{rows, features_of(layer)};
            has_narrow |= gram.is_narrow();
            const auto copy = copied(gram.features, bins);
            const double before = sum.features > 0 ? sum.kernel() + sum.few_features() : 0;
            auto copying = stage("features of ", {layer});
            copying.shared = before;
            copying.first_rank = copy.making;
            stages_.push_back(copying);
            auto building = stage("Gram of ", {layer});
            building.shared = before;
            building.share(gram.kernel());
            building.share(gram.few_features());
            building.share(gram.scratch());
            for (int buffer = 0; buffer < 2; ++buffer)
                building.share(shape_.value_bytes * gram.slabs_at_once(shape_.value_bytes));
            building.first_rank = copy.kept + reading_bytes(gram, bins);
            stages_.push_back(building);
            auto keeping = stage("Gram file of ", {layer});
            keeping.shared = before + gram.kernel() + gram.few_features();
            keeping.first_rank = copy.kept + gram.checkpoint();
            stages_.push_back(keeping);
            sum.features += gram.features;
        }
        if (layers.size() > 1) {
            auto adding = stage("sum of Grams of ", layers);
            adding.shared = 2 * sum.kernel() + 2 * sum.few_features();
            if (has_narrow && !sum.is_narrow()) adding.shared += sum.multiplying();
            stages_.push_back(adding);
        }
        return sum;
    }

    /// Of the features of one layer set as each rank reads them for itself.
    void add_columns(const config::LayerSet& layers, const GramSize& gram, std::size_t bins,
                     MemoryStage& stage) const {
        if (shape_.stored_bytes == 0) {
            stage.a_rank += shape_.value_bytes * gram.slab() + reading_bytes(gram, bins);
            return;
        }
        double copies = 0;
        double making = 0;
        for (const auto& layer : layers) {
            const auto copy = copied(features_of(layer), bins);
            making = std::max(making, copies + copy.making);
            copies += copy.kept;
        }
        stage.a_rank += std::max(making, copies);
        if (!shape_.is_whole)
            stage.a_rank += shape_.stored_reading_bytes + shape_.value_bytes * gram.slab();
        // The others open the file anew; nothing is copied out of what is one layer.
        stage.other_ranks += shape_.stored_bytes;
    }

    struct Batch {
        std::vector<std::string> ids;
        std::vector<FitPart> parts;
    };
    static std::vector<Batch> batches(const std::vector<FitPart>& parts) {
        std::vector<Batch> found;
        for (const auto& part : parts) {
            const auto& ids = part.plan->stimulus_ids;
            const auto same = std::find_if(found.begin(), found.end(),
                                           [&](const auto& batch) { return batch.ids == ids; });
            if (same != found.end())
                same->parts.push_back(part);
            else
                found.push_back({ids, {part}});
        }
        return found;
    }

    bool is_in_order(const Batch& batch, std::size_t bins) const {
        const auto& ids = shape_.stimulus_ids;
        if (batch.ids.size() != ids.size() * std::max<std::size_t>(bins, 1)) return false;
        for (std::size_t i = 0; i < batch.ids.size(); ++i)
            if (batch.ids[i] != ids[i % ids.size()]) return false;
        return true;
    }

    void add_fits(const config::LayerSet& layers, const GramSize& gram,
                  const std::vector<FitPart>& parts, Before before) {
        const auto bins = parts.front().bins.size();
        bool has_reduced = gram.features < gram.rows;
        for (const auto& batch : batches(parts)) {
            std::vector<metrics::FitBuffers> buffers;
            bool reduced = false;
            bool columns = false;
            for (const auto& part : batch.parts) {
                const auto& metric = run_.benchmarks[part.score->benchmark].metric;
                const auto& registered = metrics::find_metric(metric.name);
                const auto features = static_cast<std::size_t>(gram.features);
                buffers.push_back(metrics::fit_buffers(metric, *part.plan, features));
                reduced |= registered.needs == metrics::FeaturesNeeded::reduced;
                columns |=
                    metrics::needs_columns(registered, part.plan->stimulus_ids.size(), features);
            }
            auto fits = stage("fits to ", layers);
            fits.shared = gram.kernel() + (has_reduced ? gram.reduced() : 0);
            if (columns || (reduced && !has_reduced)) add_columns(layers, gram, bins, fits);
            if (reduced && !has_reduced) {
                has_reduced = true;
                fits.share(gram.reduced());
                auto reducing = fits;
                reducing.name = "reduced features of " + layer_text(layers);
                reducing.share(float64 * gram.slab());
                reducing.first_rank += 2 * float64 * gram.slab();
                stages_.push_back(reducing);
            }
            if (!is_in_order(batch, bins)) {
                const GramSize own{static_cast<double>(batch.ids.size()), gram.features};
                fits.share(gathered_kernel(gram, own));
                if (has_reduced) fits.share(own.rows * gram.reduced() / gram.rows);
            }
            add_work(buffers, fits, std::exchange(before, Before::fits));
            stages_.push_back(fits);
        }
    }

    /// Of metrics that look at the features alone.
    void add_fits_to_features(const config::LayerSet& layers, std::size_t bins,
                              const std::vector<FitPart>& parts, Before before) {
        GramSize size{stimuli_ * static_cast<double>(std::max<std::size_t>(bins, 1)), 0};
        for (const auto& layer : layers) size.features += features_of(layer);
        for (const auto& batch : batches(parts)) {
            std::vector<metrics::FitBuffers> buffers;
            for (const auto& part : batch.parts)
                buffers.push_back(
                    metrics::fit_buffers(run_.benchmarks[part.score->benchmark].metric, *part.plan,
                                         static_cast<std::size_t>(size.features)));
            auto fits = stage("fits to ", layers);
            add_columns(layers, size, bins, fits);
            add_work(buffers, fits, std::exchange(before, Before::fits));
            stages_.push_back(fits);
        }
    }

    /// The first rank stands for the one that holds most.
    void add_work(const std::vector<metrics::FitBuffers>& buffers, MemoryStage& fits,
                  Before before) const {
        const auto most = most_in_work(buffers, workforce_);
        const auto others = static_cast<double>(workforce_.ranks - 1);
        const double of_other = others > 0 ? (most.node - most.rank) / others : most.rank;
        fits.a_rank += of_other;
        fits.first_rank += most.rank - of_other;
        if (before == Before::fits || buffers.size() > 1) fits.a_rank += left_by_freed(fits.a_rank);
    }

    const config::RunRecord& run_;
    const PlannedUnit& unit_;
    const UnitShape& shape_;
    RecordingsReader& recordings_;
    Workforce workforce_;
    double stimuli_;
    double recordings_bytes_ = 0;  ///< of a rank
    double parts_bytes_ = 0;       ///< of a rank: copies for the layer set in work
    std::vector<MemoryStage> preparing_, stages_;
};

}  // namespace

std::vector<MemoryStage> unit_memory(const config::RunRecord& run, const PlannedUnit& unit,
                                     const UnitShape& shape, RecordingsReader& recordings,
                                     const Workforce& workforce) {
    return StagesOfUnit(run, unit, shape, recordings, workforce).all();
}

}  // namespace ventral::pipeline
