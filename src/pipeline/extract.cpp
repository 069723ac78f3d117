#include "pipeline/extract.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>

#include "comm/records.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "io/activations_file.hpp"
#include "models/load_input.hpp"
#include "models/load_network.hpp"
#include "models/recorder.hpp"
#include "models/torch_runtime.hpp"
#include "pipeline/from_first_rank.hpp"
#include "pipeline/hand_over.hpp"
#include "pipeline/keys.hpp"

namespace ventral::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one batch gave, on the rank that ran it.
struct BatchOutput {
    std::size_t first_row = 0;
    std::size_t rows = 0;  ///< without padding
    std::vector<models::LayerOutput> layers;
    std::vector<io::PackedRows> packed;  ///< in place of the layers' values, if compressed
    double images_s = 0;
    double network_s = 0;
    double packing_s = 0;
};

/// The values of a batch without those of its padding.
std::span<const float> own_rows(const models::LayerOutput& layer, std::size_t rows,
                                std::size_t batch_size) {
    return std::span(layer.values).first(layer.values.size() / batch_size * rows);
}

/// Runs single batches; used by several workers at once.
class BatchRunner {
public:
    BatchRunner(const ExtractRequest& request, int compression, int local_rank)
        : request_(request),
          compression_(compression),
          recorder_(models::load_network(request.model, local_rank), request.layers),
          shape_(tensor_shape(request)) {}

    std::size_t batches() const {
        return (request_.stimuli.files.size() + batch_size() - 1) / batch_size();
    }

    BatchOutput run(std::size_t batch) const {
        BatchOutput output;
        output.first_row = batch * batch_size();
        output.rows = std::min(batch_size(), request_.stimuli.files.size() - output.first_row);
        models::configure_torch_thread();
        const auto start = Clock::now();
        const auto images = pixels(output);
        output.images_s = seconds_since(start);
        output.layers = recorder_.record(
            images, {static_cast<std::int64_t>(batch_size()), static_cast<std::int64_t>(shape_[0]),
                     static_cast<std::int64_t>(shape_[1]), static_cast<std::int64_t>(shape_[2])});
        output.network_s = seconds_since(start) - output.images_s;
        if (compression_ > 0) pack(output);
        output.packing_s = seconds_since(start) - output.images_s - output.network_s;
        return output;
    }

private:
    std::size_t batch_size() const { return request_.model.batch_size; }

    void pack(BatchOutput& output) const {
        const auto chunk_rows = io::rows_in_chunk(batch_size(), request_.stimuli.files.size());
        for (auto& layer : output.layers) {
            output.packed.push_back(io::pack_rows(own_rows(layer, output.rows, batch_size()),
                                                  output.rows, chunk_rows, compression_));
            layer.values = {};
        }
    }

    static stimuli::TensorShape tensor_shape(const ExtractRequest& request) {
        if (!request.model.preprocessing)
            throw core::InputError(request.model.origin + ": the network has no [preprocessing]");
        const auto shape = stimuli::tensor_shape(*request.model.preprocessing);
        if (!shape)
            throw core::InputError(request.model.origin +
                                   ": [preprocessing] gives images of different sizes (a batch "
                                   "needs one size) set crop, or resize = [h, w]");
        return *shape;
    }

    std::vector<float> pixels(const BatchOutput& batch) const {
        const std::size_t size = shape_[0] * shape_[1] * shape_[2];
        std::vector<float> values(batch_size() * size);
        for (std::size_t i = 0; i < batch_size(); ++i) {
            float* to = values.data() + i * size;
            if (i >= batch.rows) {
                std::copy_n(to - size, size, to);
                continue;
            }
            const std::size_t row = batch.first_row + i;
            const auto image = load(row);
            std::copy(image.begin(), image.end(), to);
        }
        return values;
    }

    std::vector<float> load(std::size_t row) const {
        try {
            return models::load_input(request_.model, request_.stimuli.files[row],
                                      request_.stimuli.visual_degrees[row]);
        } catch (const core::InputError&) {
            if (request_.access == benchmarks::Access::open) throw;
            throw core::InputError("image " + std::to_string(row) + " of stimulus set '" +
                                   request_.stimuli.identifier +
                                   "' cannot be used (details are withheld: its access is "
                                   "private)");
        }
    }

    const ExtractRequest& request_;
    int compression_;
    models::LayerRecorder recorder_;
    stimuli::TensorShape shape_;
};

/// Which rank runs which batch: in every round each rank gets as many as it has workers.
class Shares {
public:
    explicit Shares(TeamContext& context) : rank_(static_cast<std::size_t>(context.team.rank())) {
        for (const auto& count : context.team.all_gather(std::to_string(context.workers.threads())))
            workers_.push_back(std::stoul(count));
    }

    /// Batches of all ranks together in a round.
    std::size_t round() const { return std::accumulate(workers_.begin(), workers_.end(), 0UL); }

    /// Those of this rank among `begin` … `end`-1; `begin` is the first of a round.
    std::vector<std::size_t> own(std::size_t begin, std::size_t end) const {
        std::vector<std::size_t> batches;
        const auto first =
            std::accumulate(workers_.begin(), workers_.begin() + static_cast<std::ptrdiff_t>(rank_),
                            std::size_t{0});
        for (; begin < end; begin += round())
            for (std::size_t w = 0; w < workers_[rank_]; ++w)
                if (begin + first + w < end) batches.push_back(begin + first + w);
        return batches;
    }

private:
    std::size_t rank_;
    std::vector<std::size_t> workers_;
};

/// How the rows of the file are labelled.
core::StimulusSet row_labels(const ExtractRequest& request) {
    auto labels = request.stimuli;
    if (request.access == benchmarks::Access::open) return labels;
    labels.columns.clear();
    for (std::size_t row = 0; row < labels.stimulus_ids.size(); ++row) {
        labels.stimulus_ids[row] = std::to_string(row);
        labels.files[row].clear();
    }
    return labels;
}

/// The shapes of the layers, which the first rank knows from the first batch. Collective.
std::vector<io::LayerShape> shared_shapes(const ExtractRequest& request,
                                          const std::vector<BatchOutput>& outputs,
                                          comm::Communicator& team) {
    std::vector<std::vector<std::int64_t>> shapes;
    if (team.rank() == 0)
        for (const auto& layer : outputs.front().layers) shapes.push_back(layer.shape);
    shapes = comm::unpack<decltype(shapes)>(team.broadcast(comm::pack(shapes), 0));
    std::vector<io::LayerShape> named;
    for (std::size_t l = 0; l < shapes.size(); ++l) named.push_back({request.layers[l], shapes[l]});
    return named;
}

/// One extraction in work.
class Extraction {
public:
    Extraction(const ExtractRequest& request, TeamContext& context)
        : request_(request), context_(context) {}

    ExtractTiming run() {
        const auto begin = Clock::now();
        const int local_rank = context_.team.split_by_node()->rank();
        comm::run_collectively(
            context_.team, [&] { runner_.emplace(request_, context_.compression, local_rank); });
        timing_.load = seconds_since(begin);
        const Shares shares(context_);
        std::size_t done = std::min(shares.round(), runner_->batches());
        const auto step = open_with(shares.own(0, done)) * shares.round();
        while (done < runner_->batches()) {
            const auto next = std::min(done + step, runner_->batches());
            run_batches(shares.own(done, next), [&](const BatchOutput& output) { write(output); });
            done = next;
            context_.progress.step("extract, batch", done, runner_->batches());
        }
        {
            const auto time = context_.time(Stage::io);
            writer_->finish();
        }
        timing_.extract = seconds_since(begin) - timing_.load;
        return timing_;
    }

private:
    /// Makes the file once the first round tells the shapes of the layers; returns how many rounds
    /// may follow at once. Collective.
    std::size_t open_with(const std::vector<std::size_t>& batches) {
        std::vector<BatchOutput> outputs;
        const auto start = Clock::now();
        run_batches(batches, [&](BatchOutput output) { outputs.push_back(std::move(output)); });
        const auto rounds = from_first_rank<std::size_t>(
            context_.team, [&] { return rounds_between_agreements(seconds_since(start)); });
        auto provenance = context_.provenance;
        provenance["device"] = device_of(request_.model);
        writer_.emplace(request_.path, context_.team,
                        io::ActivationsHeader{request_.key, provenance,
                                              shared_shapes(request_, outputs, context_.team),
                                              request_.model.batch_size, row_labels(request_),
                                              context_.compression});
        comm::run_collectively(context_.team, [&] {
            for (const auto& output : outputs) write(output);
        });
        return rounds;
    }

    /// Collective; leaves by an exception on all ranks if any has failed or is asked to stop.
    void run_batches(const std::vector<std::size_t>& batches,
                     const std::function<void(BatchOutput)>& take) {
        comm::run_collectively(context_.team, [&] {
            compute_and_take<BatchOutput>(
                context_.workers, batches.size(),
                {[&](std::size_t item) { return runner_->run(batches[item]); },
                 [&](BatchOutput output) {
                     timing_.images += output.images_s;
                     timing_.network += output.network_s;
                     timing_.write += output.packing_s;
                     take(std::move(output));
                 },
                 [&] { return context_.stop.pending(); }});
        });
        context_.stop.check(context_.team);
    }

    void write(const BatchOutput& output) {
        const auto time = context_.time(Stage::io);
        const auto start = Clock::now();
        for (std::size_t l = 0; l < output.packed.size(); ++l)
            writer_->write_packed(l, output.first_row, output.packed[l]);
        for (std::size_t l = 0; l < output.layers.size() && output.packed.empty(); ++l)
            writer_->write_rows(l, output.first_row,
                                own_rows(output.layers[l], output.rows, request_.model.batch_size));
        timing_.write += seconds_since(start);
    }

    const ExtractRequest& request_;
    TeamContext& context_;
    std::optional<BatchRunner> runner_;
    std::optional<io::ActivationsWriter> writer_;
    ExtractTiming timing_;
};

/// What the ranks took together: the longest of their shared steps, the sum of the others.
/// Collective.
ExtractTiming over_ranks(const ExtractTiming& mine, comm::Communicator& team) {
    ExtractTiming all;
    const std::vector<double> own{mine.load, mine.extract, mine.images, mine.network, mine.write};
    for (const auto& packed : team.all_gather(comm::pack(own))) {
        const auto theirs = comm::unpack<std::vector<double>>(packed);
        all.load = std::max(all.load, theirs[0]);
        all.extract = std::max(all.extract, theirs[1]);
        all.images += theirs[2];
        all.network += theirs[3];
        all.write += theirs[4];
    }
    return all;
}

}  // namespace

std::size_t rounds_between_agreements(double seconds_a_round) {
    constexpr double seconds_between = 1;
    constexpr double most = 16;
    if (!(seconds_a_round * most > seconds_between)) return static_cast<std::size_t>(most);
    return static_cast<std::size_t>(std::max(1.0, seconds_between / seconds_a_round));
}

ExtractTiming extract(const ExtractRequest& request, TeamContext& context) {
    const core::KeepsFreedBlocks while_networks_run;
    return over_ranks(Extraction(request, context).run(), context.team);
}

}  // namespace ventral::pipeline
