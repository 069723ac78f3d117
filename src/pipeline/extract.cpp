#include "pipeline/extract.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "comm/records.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "io/activations_file.hpp"
#include "models/load_input.hpp"
#include "models/load_network.hpp"
#include "models/recorder.hpp"
#include "models/time_axis.hpp"
#include "models/torch_runtime.hpp"
#include "pipeline/batch_dealer.hpp"
#include "pipeline/from_first_rank.hpp"
#include "pipeline/hand_over.hpp"
#include "pipeline/keys.hpp"
#include "pipeline/trial_rows.hpp"
#include "stimuli/microsaccades.hpp"

namespace ventral::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one batch gave, on the rank that ran it.
struct BatchOutput {
    std::size_t first_row = 0;                ///< of the file
    std::size_t rows = 0;                     ///< stimuli × trials
    std::vector<models::LayerOutput> layers;  ///< without padding
    /// In place of the layers' values, if compressed: of each layer chunk after chunk.
    std::vector<std::vector<io::PackedRows>> packed;
    double images_s = 0;
    double network_s = 0;
    double packing_s = 0;
};

io::TimeBins time_bins_of(const ExtractRequest& request) {
    io::TimeBins bins;
    if (request.model.time)
        for (const auto& bin : request.model.time->bins)
            bins.emplace_back(bin.start_ms, bin.end_ms);
    return bins;
}

/// The images of a batch that are not its padding.
struct BatchImages {
    std::size_t first = 0;
    std::size_t count = 0;
};

std::vector<stimuli::Microsaccade> shifts_of(const ExtractRequest& request,
                                             const stimuli::TensorShape& shape) {
    if (request.trials == 1) return {};
    return stimuli::microsaccades(request.trials, request.model.visual_degrees, shape[1]);
}

/// Runs single batches; used by several workers at once.
class BatchRunner {
public:
    BatchRunner(const ExtractRequest& request, int compression, int local_rank)
        : request_(request),
          compression_(compression),
          recorder_(models::load_network(request.model, local_rank), request.layers),
          shape_(tensor_shape(request)),
          shifts_(shifts_of(request, shape_)) {}

    std::size_t batches() const {
        return (request_.stimuli.files.size() + batch_size() - 1) / batch_size();
    }

    std::size_t rows_in_chunk() const {
        return io::rows_in_chunk(batch_size(), request_.stimuli.files.size() * request_.trials);
    }

    /// Where each trial looks; nothing of a single trial.
    const std::vector<stimuli::Microsaccade>& shifts() const { return shifts_; }

    BatchOutput run(std::size_t batch) const {
        const auto first = batch * batch_size();
        const BatchImages images{first,
                                 std::min(batch_size(), request_.stimuli.files.size() - first)};
        BatchOutput output;
        output.first_row = first * request_.trials;
        output.rows = images.count * request_.trials;
        models::configure_torch_thread();
        const auto start = Clock::now();
        const auto pixels = load(images);
        output.images_s = seconds_since(start);
        if (shifts_.empty()) {
            output.layers = record(pixels);
            for (auto& layer : output.layers)
                layer.values.resize(layer.values.size() / batch_size() * images.count);
        }
        for (std::size_t trial = 0; trial < shifts_.size(); ++trial)
            add_trial(output, trial, record(shifted(pixels, shifts_[trial])));
        output.network_s = seconds_since(start) - output.images_s;
        if (compression_ > 0) pack(output);
        output.packing_s = seconds_since(start) - output.images_s - output.network_s;
        return output;
    }

private:
    std::size_t batch_size() const { return request_.model.batch_size; }

    std::vector<models::LayerOutput> record(const std::vector<float>& pixels) const {
        auto layers = recorder_.record(
            pixels, {static_cast<std::int64_t>(batch_size()), static_cast<std::int64_t>(shape_[0]),
                     static_cast<std::int64_t>(shape_[1]), static_cast<std::int64_t>(shape_[2])});
        for (std::size_t l = 0; l < layers.size() && request_.model.time; ++l)
            layers[l] = models::time_first(layers[l], request_.model, request_.layers[l]);
        return layers;
    }

    /// All images of a batch at another place.
    std::vector<float> shifted(std::span<const float> pixels,
                               const stimuli::Microsaccade& shift) const {
        const std::size_t size = shape_[0] * shape_[1] * shape_[2];
        std::vector<float> moved;
        moved.reserve(pixels.size());
        for (std::size_t at = 0; at < pixels.size(); at += size) {
            const auto image =
                stimuli::shifted(pixels.subspan(at, size), shape_, shift.x_pixels, shift.y_pixels);
            moved.insert(moved.end(), image.begin(), image.end());
        }
        return moved;
    }

    /// Puts the rows of one trial between those of the others.
    void add_trial(BatchOutput& output, std::size_t trial,
                   std::vector<models::LayerOutput> recorded) const {
        output.layers.resize(recorded.size());
        for (std::size_t l = 0; l < recorded.size(); ++l) {
            const auto& values = recorded[l].values;
            const std::size_t features = values.size() / batch_size();
            auto& layer = output.layers[l];
            layer.shape = recorded[l].shape;
            layer.values.resize(output.rows * features);
            for (std::size_t row = trial; row < output.rows; row += request_.trials)
                std::copy_n(values.data() + row / request_.trials * features, features,
                            layer.values.data() + row * features);
        }
    }

    void pack(BatchOutput& output) const {
        const auto chunk_rows = rows_in_chunk();
        for (auto& layer : output.layers) {
            const auto features = layer.values.size() / output.rows;
            auto& chunks = output.packed.emplace_back();
            for (std::size_t first = 0; first < output.rows; first += chunk_rows) {
                const auto rows = std::min(chunk_rows, output.rows - first);
                const auto values =
                    std::span<const float>(layer.values).subspan(first * features, rows * features);
                chunks.push_back(io::pack_rows(
                    values,
                    {rows, chunk_rows, std::max<std::size_t>(1, time_bins_of(request_).size())},
                    compression_));
            }
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

    std::vector<float> load(const BatchImages& images) const {
        const std::size_t size = shape_[0] * shape_[1] * shape_[2];
        std::vector<float> values(batch_size() * size);
        for (std::size_t i = 0; i < batch_size(); ++i) {
            float* to = values.data() + i * size;
            if (i >= images.count) {
                std::copy_n(to - size, size, to);
                continue;
            }
            const auto image = load_image(images.first + i);
            std::copy(image.begin(), image.end(), to);
        }
        return values;
    }

    std::vector<float> load_image(std::size_t row) const {
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
    std::vector<stimuli::Microsaccade> shifts_;
};

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
        if (context_.team.size() == 1)
            run_alone();
        else
            run_together();
        context_.progress.step("extract, batch", runner_->batches(), runner_->batches());
        {
            const auto time = context_.time(Stage::io);
            writer_->finish();
        }
        timing_.extract = seconds_since(begin) - timing_.load;
        return timing_;
    }

private:
    /// The workers go on while the file is made.
    void run_alone() {
        dealer_.emplace(runner_->batches(), 0, context_.team);
        dealer_->begin_round();
        run_batches([&](const BatchOutput& output) {
            if (!writer_) open(shapes_of(output));
            write(output);
        });
    }

    /// The ranks make the file together once the first batches tell the shapes of the layers.
    /// Collective.
    void run_together() {
        dealer_.emplace(runner_->batches(), context_.workers.threads(), context_.team);
        std::vector<BatchOutput> outputs;
        auto batch = dealer_->first().begin();
        run_batches(
            [&] {
                return batch == dealer_->first().end() ? std::nullopt : std::optional(*batch++);
            },
            [&](BatchOutput output) { outputs.push_back(std::move(output)); });
        open(from_first_rank<std::vector<models::LayerShape>>(
            context_.team, [&] { return shapes_of(outputs.front()); }));
        comm::run_collectively(context_.team, [&] {
            for (const auto& output : outputs) write(output);
        });
        outputs.clear();
        while (dealer_->begin_round())
            run_batches([&](const BatchOutput& output) { write(output); });
    }

    /// Makes the file of layers of these shapes. Collective.
    void open(const std::vector<models::LayerShape>& shapes) {
        std::vector<io::LayerShape> layers;
        for (std::size_t l = 0; l < shapes.size(); ++l)
            layers.push_back({request_.layers[l], shapes[l]});
        comm::run_collectively(context_.team, [&] {
            if (request_.check_shapes) request_.check_shapes(layers);
        });
        auto provenance = context_.provenance;
        provenance["device"] = device_of(request_.model);
        writer_.emplace(
            request_.path, context_.team,
            io::ActivationsHeader{request_.key, provenance, layers, request_.model.batch_size,
                                  row_labels(request_, runner_->shifts()), context_.compression,
                                  time_bins_of(request_)});
    }

    void run_batches(const std::function<void(BatchOutput)>& take) {
        run_batches([&] { return dealer_->next(); }, take);
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
        if (!are_all_done()) context_.stop.check(context_.team);
    }

    /// On all ranks together. Collective.
    bool are_all_done() {
        std::array<std::int64_t, 1> done = {own_done_};
        context_.team.sum(done);
        return done[0] == static_cast<std::int64_t>(runner_->batches());
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
        timing_.images += output.images_s;
        timing_.network += output.network_s;
        timing_.write += output.packing_s;
        dealer_->count_done();
        ++own_done_;
        context_.progress.step("extract, batch", dealer_->done(), runner_->batches());
    }

    void write(const BatchOutput& output) {
        const auto time = context_.time(Stage::io);
        const auto start = Clock::now();
        for (std::size_t l = 0; l < output.packed.size(); ++l)
            for (std::size_t chunk = 0; chunk < output.packed[l].size(); ++chunk)
                writer_->write_packed(l, output.first_row + chunk * runner_->rows_in_chunk(),
                                      output.packed[l][chunk]);
        for (std::size_t l = 0; l < output.layers.size() && output.packed.empty(); ++l)
            writer_->write_rows(l, output.first_row, output.layers[l].values);
        timing_.write += seconds_since(start);
    }

    const ExtractRequest& request_;
    TeamContext& context_;
    std::optional<BatchRunner> runner_;
    std::optional<BatchDealer> dealer_;
    std::optional<io::ActivationsWriter> writer_;
    std::int64_t own_done_ = 0;  ///< batches of this rank
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

ExtractTiming extract(const ExtractRequest& request, TeamContext& context) {
    const core::KeepsFreedBlocks while_networks_run;
    return over_ranks(Extraction(request, context).run(), context.team);
}

}  // namespace ventral::pipeline
