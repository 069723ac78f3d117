#include "pipeline/extraction/extract.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "comm/total.hpp"
#include "core/allocator.hpp"
#include "core/seconds_since.hpp"
#include "io/activations/activations_writer.hpp"
#include "pipeline/extraction/batch_runner.hpp"
#include "pipeline/extraction/storable_layers.hpp"
#include "pipeline/extraction/trial_rows.hpp"
#include "pipeline/extraction/work_ahead.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/schedule/batch_dealer.hpp"
#include "pipeline/schedule/hand_over.hpp"

namespace ventral::pipeline {
namespace {

/// How the rows of the file are labelled.
core::StimulusSet row_labels(const ExtractRequest& request,
                             const std::vector<stimuli::Microsaccade>& shifts) {
    auto labels = request.stimuli;
    if (request.access != benchmarks::Access::open) {
        labels.columns.clear();
        for (std::size_t row = 0; row < labels.stimulus_ids.size(); ++row) {
            labels.stimulus_ids[row] = std::to_string(row);
            labels.files[row].clear();
        }
    }
    return shifts.empty() ? labels : with_trials(labels, shifts);
}

std::vector<models::LayerShape> shapes_of(const BatchOutput& output) {
    std::vector<models::LayerShape> shapes;
    for (const auto& layer : output.layers) shapes.push_back(layer.shape);
    return shapes;
}

/// What the ranks took together: the longest of their shared steps, the sum of the others.
/// Collective.
ExtractTiming over_ranks(const ExtractTiming& mine, comm::Communicator& team) {
    ExtractTiming all;
    for (const auto& theirs : comm::gather_records(team, mine)) {
        all.load = std::max(all.load, theirs.load);
        all.extract = std::max(all.extract, theirs.extract);
        all.images += theirs.images;
        all.network += theirs.network;
        all.write += theirs.write;
    }
    return all;
}

/// One extraction in work.
class Extraction {
public:
    Extraction(const ExtractRequest& request, TeamContext& context)
        : request_(request), context_(context) {}

    Extracted run() {
        const auto begin = std::chrono::steady_clock::now();
        const int local_rank = context_.team.split_by_node()->rank();
        if (context_.ahead) at_hand_ = context_.ahead->take(request_);
        runner_ = std::move(at_hand_.runner);
        comm::run_collectively(context_.team, [&] {
            if (!runner_)
                runner_ =
                    std::make_unique<BatchRunner>(request_, context_.kept.compression, local_rank);
        });
        timing_.load = core::seconds_since(begin);
        if (context_.team.size() == 1)
            run_alone();
        else
            run_together();
        context_.progress.step("extract, batch", runner_->batches(), runner_->batches());
        comm::run_collectively(context_.team, [&] {
            if (context_.leads() && request_.check_inputs) request_.check_inputs();
        });
        {
            const auto time = context_.time(Stage::io);
            writer_->finish();
        }
        timing_.extract = core::seconds_since(begin) - timing_.load;
        return {over_ranks(timing_, context_.team), odd_rows_over_ranks()};
    }

private:
    /// The workers go on while the file is made.
    void run_alone() {
        left_.resize(runner_->batches());
        std::iota(left_.begin(), left_.end(), std::size_t{0});
        dealer_.emplace(left_.size(), 0, context_.team);
        dealer_->begin_round();
        run_batches([&](BatchOutput output) {
            if (!writer_) open(shapes_of(output));
            write(std::move(output));
        });
    }

    /// The ranks make the file together once the first batches tell the shapes of the layers.
    /// Collective.
    void run_together() {
        const int teller = leave_out_what_is_at_hand();
        dealer_.emplace(left_.size(), context_.workers.threads(), context_.team);
        auto outputs = std::move(at_hand_.outputs);
        for (const auto& output : outputs) note(output);
        auto place = dealer_->first().begin();
        run_batches(
            [&] {
                return place == dealer_->first().end() ? std::nullopt
                                                       : std::optional(left_[*place++]);
            },
            [&](BatchOutput output) { outputs.push_back(std::move(output)); });
        open(shapes_from(teller, outputs));
        comm::run_collectively(context_.team, [&] {
            for (auto& output : outputs) write(std::move(output));
        });
        while (dealer_->begin_round())
            run_batches([&](BatchOutput output) { write(std::move(output)); });
    }

    /// Finds the batches that no rank has the outputs of; returns the first rank that will have
    /// some before there is a file. Collective.
    int leave_out_what_is_at_hand() {
        std::vector<std::size_t> own;
        for (const auto& output : at_hand_.outputs) own.push_back(output.batch);
        const auto of_ranks = comm::gather_records(context_.team, own);
        std::vector<bool> is_there(runner_->batches());
        std::optional<int> teller;
        for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
            for (const auto batch : of_ranks[rank]) {
                is_there[batch] = true;
                if (!teller) teller = static_cast<int>(rank);
            }
        for (std::size_t batch = 0; batch < is_there.size(); ++batch)
            if (!is_there[batch]) left_.push_back(batch);
        return teller.value_or(0);
    }

    /// Those of the outputs of one rank. Collective.
    std::vector<models::LayerShape> shapes_from(int rank, const std::vector<BatchOutput>& outputs) {
        std::string packed;
        comm::run_collectively(context_.team, [&] {
            if (context_.team.rank() == rank) packed = comm::pack(shapes_of(outputs.front()));
        });
        return comm::unpack<std::vector<models::LayerShape>>(context_.team.broadcast(packed, rank));
    }

    /// Makes the file of layers of these shapes. Collective.
    void open(const std::vector<models::LayerShape>& shapes) {
        shapes_ = shapes;
        std::vector<io::LayerShape> layers;
        for (std::size_t l = 0; l < shapes.size(); ++l)
            layers.push_back({request_.layers[l], shapes[l]});
        comm::run_collectively(context_.team, [&] {
            for (const auto& layer : layers)
                check_storable_size(layer.shape, request_.model, layer.name);
            if (request_.check_shapes) request_.check_shapes(layers);
        });
        auto provenance = context_.provenance;
        provenance["device"] = device_of(request_.model);
        writer_.emplace(request_.path, context_.team,
                        io::ActivationsHeader{request_.key, provenance, layers,
                                              models::images_at_once(request_.model),
                                              row_labels(request_, runner_->shifts()),
                                              context_.kept.compression, time_bins_of(request_)});
    }

    void run_batches(const std::function<void(BatchOutput)>& take) {
        run_batches(
            [&] {
                const auto place = dealer_->next();
                return place ? std::optional(left_[*place]) : std::nullopt;
            },
            take);
    }

    /// Collective; leaves by an exception on all ranks if any has failed or is asked to stop: that
    /// rank has the others begin no further batch. After the last batch the file is finished first.
    void run_batches(const std::function<std::optional<std::size_t>()>& next,
                     const std::function<void(BatchOutput)>& take) {
        comm::run_collectively(context_.team, [&] {
            try {
                compute_and_take<BatchOutput>(context_.workers,
                                              {[&](std::size_t batch) { return run(batch); },
                                               [&](BatchOutput output) {
                                                   count(output);
                                                   take(std::move(output));
                                               },
                                               [&] { return stop_or(next); }});
            } catch (...) {
                dealer_->end();
                throw;
            }
        });
        if (!are_all_done()) stop_if_asked();
    }

    /// Collective.
    void stop_if_asked() {
        try {
            context_.stop.check(context_.team);
        } catch (const core::Interrupted&) {
            if (writer_) writer_->give_up();
            throw;
        }
    }

    /// On all ranks together. Collective.
    bool are_all_done() {
        return comm::total(context_.team, own_done_) == static_cast<std::int64_t>(left_.size());
    }

    std::optional<std::size_t> stop_or(const std::function<std::optional<std::size_t>()>& next) {
        if (!context_.stop.pending()) return next();
        dealer_->end();
        return std::nullopt;
    }

    BatchOutput run(std::size_t batch) const {
        auto output = runner_->run(batch);
        context_.got_on();
        return output;
    }

    void count(const BatchOutput& output) {
        note(output);
        dealer_->count_done();
        ++own_done_;
        const auto done = runner_->batches() - left_.size() + dealer_->done();
        context_.progress.step("extract, batch", done, runner_->batches());
    }

    void note(const BatchOutput& output) {
        timing_.images += output.images_s;
        timing_.network += output.network_s;
        timing_.write += output.packing_s;
        for (const auto& [layer, row] : output.odd_rows) note_odd(request_.layers[layer], row);
    }

    void note_odd(const std::string& layer, std::size_t row) {
        const auto [known, is_new] = odd_rows_.try_emplace(layer, row);
        known->second = std::min(known->second, row);
    }

    /// Collective.
    std::map<std::string, std::size_t> odd_rows_over_ranks() {
        for (const auto& theirs : comm::gather_records(context_.team, odd_rows_))
            for (const auto& [layer, row] : theirs) note_odd(layer, row);
        return odd_rows_;
    }

    /// Rows of another width would lie over those of other batches.
    void check_shapes(const BatchOutput& output) const {
        for (std::size_t l = 0; l < output.layers.size(); ++l)
            if (output.layers[l].shape != shapes_[l])
                throw_changed_shape(request_.model, request_.layers[l]);
    }

    void write(BatchOutput output) {
        check_shapes(output);
        const auto time = context_.time(Stage::io);
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t l = 0; l < output.packed.size(); ++l)
            for (std::size_t chunk = 0; chunk < output.packed[l].size(); ++chunk)
                writer_->write_packed(l, output.first_row + chunk * runner_->rows_in_chunk(),
                                      output.packed[l][chunk]);
        for (std::size_t l = 0; l < output.layers.size() && output.packed.empty(); ++l)
            writer_->write_rows(l, output.first_row, output.layers[l].values);
        timing_.write += core::seconds_since(start);
        if (output.packed.empty()) runner_->reuse(std::move(output.layers));
    }

    const ExtractRequest& request_;
    TeamContext& context_;
    WorkAhead::AtHand at_hand_;
    std::unique_ptr<BatchRunner> runner_;
    std::vector<std::size_t> left_;  ///< batches to be dealt
    std::optional<BatchDealer> dealer_;
    std::vector<models::LayerShape> shapes_;  ///< of the layers in the file
    std::optional<io::ActivationsWriter> writer_;
    std::int64_t own_done_ = 0;  ///< of them by this rank
    ExtractTiming timing_;
    std::map<std::string, std::size_t> odd_rows_;
};

}  // namespace

Extracted extract(const ExtractRequest& request, TeamContext& context) {
    context.team.give_back_spare_memory();
    const core::KeepsFreedBlocks while_networks_run;
    return Extraction(request, context).run();
}

}  // namespace ventral::pipeline
