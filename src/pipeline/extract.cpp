#include "pipeline/extract.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "io/activations_file.hpp"
#include "models/network.hpp"
#include "models/recorder.hpp"
#include "models/torch_runtime.hpp"
#include "stimuli/load_stimulus.hpp"

namespace ventral::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one batch gave, on the rank that ran it.
struct BatchOutput {
    std::size_t first_row = 0;
    std::size_t rows = 0;  ///< without padding; none: no such batch
    std::vector<models::LayerOutput> layers;
    double images_s = 0;
    double network_s = 0;
};

/// Runs single batches; used by several workers at once.
class BatchRunner {
public:
    explicit BatchRunner(const ExtractRequest& request)
        : request_(request),
          recorder_(models::Network::load(request.model.weights_file,
                                          {request.model.memory_layout, request.model.device}),
                    request.layers),
          shape_(tensor_shape(request)) {}

    std::size_t batches() const {
        return (request_.stimuli.files.size() + batch_size() - 1) / batch_size();
    }

    BatchOutput run(std::size_t batch) const {
        BatchOutput output;
        if (batch >= batches()) return output;
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
        return output;
    }

private:
    std::size_t batch_size() const { return request_.model.batch_size; }

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
            return stimuli::load_stimulus(
                request_.stimuli.files[row], request_.stimuli.visual_degrees[row],
                request_.model.visual_degrees, *request_.model.preprocessing);
        } catch (const core::InputError&) {
            if (request_.access == benchmarks::Access::open) throw;
            throw core::InputError("image " + std::to_string(row) + " of stimulus set '" +
                                   request_.stimuli.identifier +
                                   "' cannot be used (details are withheld: its access is "
                                   "private)");
        }
    }

    const ExtractRequest& request_;
    models::LayerRecorder recorder_;
    stimuli::TensorShape shape_;
};

/// Batches of each rank in a round: as many as it has workers.
struct Rounds {
    std::vector<std::size_t> workers;  ///< by rank

    explicit Rounds(TeamContext& context) {
        for (const auto& count : context.team.all_gather(std::to_string(context.workers.threads())))
            workers.push_back(std::stoul(count));
    }
    std::size_t batches() const { return std::accumulate(workers.begin(), workers.end(), 0UL); }
    std::size_t most() const { return *std::max_element(workers.begin(), workers.end()); }
    std::size_t first_of(int rank) const {
        return std::accumulate(workers.begin(), workers.begin() + rank, 0UL);
    }
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

void write_round(io::ActivationsWriter& writer, const std::vector<BatchOutput>& outputs,
                 std::size_t most_batches, std::size_t layers) {
    for (std::size_t b = 0; b < most_batches; ++b)
        for (std::size_t l = 0; l < layers; ++l) {
            if (b >= outputs.size() || outputs[b].rows == 0) {
                writer.write_rows(l, 0, {});
                continue;
            }
            const auto& values = outputs[b].layers[l].values;
            const std::size_t width = static_cast<std::size_t>(std::accumulate(
                outputs[b].layers[l].shape.begin(), outputs[b].layers[l].shape.end(),
                std::int64_t{1}, std::multiplies<>()));
            writer.write_rows(l, outputs[b].first_row,
                              std::span(values).first(outputs[b].rows * width));
        }
}

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

ExtractTiming extract(const ExtractRequest& request, TeamContext& context) {
    auto& team = context.team;
    ExtractTiming timing;
    const auto begin = Clock::now();
    std::optional<BatchRunner> runner;
    comm::run_collectively(team, [&] { runner.emplace(request); });
    timing.load = seconds_since(begin);

    const Rounds rounds(context);
    std::optional<io::ActivationsWriter> writer;
    for (std::size_t first = 0; first < runner->batches(); first += rounds.batches()) {
        context.stop.check(team);
        std::vector<BatchOutput> outputs(context.workers.threads());
        comm::run_collectively(team, [&] {
            context.workers.parallel_for(outputs.size(), [&](std::size_t w) {
                outputs[w] = runner->run(first + rounds.first_of(team.rank()) + w);
            });
        });
        if (!writer)
            writer.emplace(request.path, team,
                           io::ActivationsHeader{request.key, context.provenance,
                                                 shared_shapes(request, outputs, team),
                                                 request.model.batch_size, row_labels(request)});
        const auto computed = Clock::now();
        write_round(*writer, outputs, rounds.most(), request.layers.size());
        timing.write += seconds_since(computed);
        for (const auto& output : outputs) {
            timing.images += output.images_s;
            timing.network += output.network_s;
        }
        const std::size_t done = std::min(runner->batches(), first + rounds.batches());
        context.progress.step("extract, batch", done, runner->batches());
    }
    writer->finish();
    timing.extract = seconds_since(begin) - timing.load;
    return over_ranks(timing, team);
}

}  // namespace ventral::pipeline
