#include "pipeline/layer_gram.hpp"

#include <algorithm>
#include <new>
#include <numeric>

#include "comm/records.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/gram_file.hpp"
#include "metrics/features.hpp"
#include "stats/centred_features.hpp"
#include "stats/gram_parts.hpp"
#include "stats/odd_feature.hpp"

namespace ventral::pipeline {
namespace {

std::span<double> as_doubles(comm::SharedMemory& memory) {
    const auto bytes = memory.bytes();
    return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
}

void share_reduced(LayerGram& gram, std::size_t columns, TeamContext& context) {
    const std::size_t size = gram.rows * columns;
    gram.reduced_memory = context.team.share(size * sizeof(double));
    gram.reduced = as_doubles(*gram.reduced_memory).first(size);
}

LayerGram shared_gram(std::size_t rows, std::size_t features, TeamContext& context) {
    LayerGram gram;
    gram.rows = rows;
    gram.features = features;
    gram.memory = context.team.share(rows * rows * sizeof(double));
    gram.kernel = as_doubles(*gram.memory).first(rows * rows);
    return gram;
}

LayerSums sums_of(const stats::GramMemory& memory) {
    const auto copy = [](std::span<const double> values) {
        return std::vector<double>(values.begin(), values.end());
    };
    return {copy(memory.centred_times_mean), copy(memory.row_sums), copy(memory.row_extremes),
            memory.mean_squared[0]};
}

io::GramCheckpoint checkpoint_of(const LayerGram& gram) {
    io::GramCheckpoint checkpoint;
    checkpoint.rows = gram.rows;
    checkpoint.features = gram.features;
    checkpoint.packed = stats::pack_triangle(gram.kernel, gram.rows);
    checkpoint.centred_times_mean = gram.sums.centred_times_mean;
    checkpoint.mean_squared = gram.sums.mean_squared;
    checkpoint.row_sums = gram.sums.row_sums;
    checkpoint.row_extremes = gram.sums.row_extremes;
    checkpoint.centred_features.assign(gram.reduced.begin(), gram.reduced.end());
    return checkpoint;
}

void keep_gram(const LayerGram& gram, const std::string& key, const TeamContext& context) {
    const auto time = context.time(Stage::io);
    try {
        io::write_gram(gram_path(context.out, key), key, context.provenance, checkpoint_of(gram));
        if (context.checkpointed) context.checkpointed();
    } catch (const core::OutputError& error) {
        core::log_warning(gram_path(context.out, key) + ": not kept (" + error.what() +
                          "); the Gram is used all the same");
    }
}

stats::TeamShare share_of(comm::Communicator& team) {
    return {static_cast<std::size_t>(team.rank()), static_cast<std::size_t>(team.size()),
            [&team] { team.barrier(); }};
}

void add_sums(LayerSums& sum, const LayerSums& more) {
    for (std::size_t row = 0; row < sum.row_sums.size(); ++row) {
        sum.centred_times_mean[row] += more.centred_times_mean[row];
        sum.row_sums[row] += more.row_sums[row];
        auto& least = sum.row_extremes[2 * row];
        auto& largest = sum.row_extremes[2 * row + 1];
        least = std::min(least, more.row_extremes[2 * row]);
        largest = std::max(largest, more.row_extremes[2 * row + 1]);
    }
    sum.mean_squared += more.mean_squared;
}

/// Those of the slab, a few at a time, since each is in memory twice until it is in place.
void fill_centred(const stats::FeatureMatrix& slab, std::span<double> place) {
    core::Workers alone(1);
    for (std::size_t first = 0; first < slab.features; first += stats::centred_block) {
        const auto centred = stats::reduce_features(
            slab.rows, std::min(stats::centred_block, slab.features - first),
            [&](std::size_t from, std::size_t count) {
                return stats::columns_of(slab, first + from, count);
            },
            alone);
        std::copy_n(centred.data(), centred.size(), place.data() + first * slab.rows);
    }
}

/// The centred features of a narrow layer, by the first rank. Collective.
void fill_centred(LayerGram& gram, SharedSlabs& slabs, TeamContext& context) {
    for (std::size_t first = 0; first < gram.features; first += stats::slab_features) {
        const auto slab = slabs.read(first, std::min(stats::slab_features, gram.features - first));
        if (context.leads()) fill_centred(slab, gram.reduced.subspan(first * gram.rows));
    }
    context.team.barrier();
}

void gather_reduced(const LayerGram& gram, const std::vector<std::size_t>& rows, LayerGram& part,
                    TeamContext& context) {
    if (gram.reduced.empty()) return;
    const std::size_t columns = gram.reduced.size() / gram.rows;
    share_reduced(part, columns, context);
    if (!context.leads()) return;
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows.size(); ++i)
            part.reduced[j * rows.size() + i] = gram.reduced[j * gram.rows + rows[i]];
}

/// What is known of the features on this rank that may be shown.
core::Assembly labels_of(const FeatureSource& source, const FeatureNames& names) {
    core::Assembly labels;
    if (const auto* table = std::get_if<const core::Assembly*>(&source))
        if (const auto* neuroids = core::find_coordinate(**table, "neuroid_id"))
            labels.coordinates.push_back(*neuroids);
    if (!names.stimulus_ids.empty())
        labels.coordinates.push_back({"stimulus_id", "presentation", names.stimulus_ids});
    return labels;
}

/// Why there is no Gram: the feature that is to blame, or else `reason`. Collective.
std::string problem_of(const std::string& reason, std::size_t features, SharedSlabs& slabs,
                       const core::Assembly& labels) {
    const auto odd = stats::find_odd_feature(
        features, [&](std::size_t first, std::size_t count) { return slabs.read(first, count); });
    return odd ? metrics::odd_feature_text(labels, *odd) : reason;
}

/// The Gram, of which what building it takes is given back.
LayerGram built_gram(const FeatureSource& source, const std::string& layer, TeamContext& context,
                     const FeatureNames& names) {
    const auto shape = shared_shape(source, layer, context.team);
    const auto sizes = stats::gram_sizes(shape.rows, shape.features);
    LayerGram gram;
    gram.rows = shape.rows;
    gram.features = shape.features;
    gram.memory = context.team.share(sizes.kept() * sizeof(double));
    auto scratch = context.team.share(sizes.scratch() * sizeof(double));
    const auto memory =
        stats::gram_parts(as_doubles(*gram.memory).first(sizes.kept()),
                          as_doubles(*scratch).first(sizes.scratch()), shape.rows, shape.features);
    SharedSlabs slabs(source, layer, shape, context);
    std::string problem;
    try {
        stats::build_gram(
            shape.rows, shape.features,
            [&](std::size_t first, std::size_t count) { return slabs.read(first, count); }, memory,
            context.workers, share_of(context.team), slabs.at_once());
    } catch (const core::TransientError&) {
        throw;
    } catch (const core::InputError& error) {
        // All ranks see the same K.
        problem = (names.place.empty() ? "" : names.place + ": ") + "layer '" + layer +
                  "': " + problem_of(error.what(), shape.features, slabs, labels_of(source, names));
    } catch (const std::bad_alloc&) {
        if (context.team.size() > 1)
            core::log_error("layer '" + layer + "': out of memory while its Gram is built");
        throw;
    }
    comm::run_collectively(context.team, [&] {
        if (!problem.empty()) throw core::InputError(problem);
    });
    gram.kernel = memory.kernel;
    gram.sums = sums_of(memory);
    scratch.reset();
    if (gram.features < gram.rows) {
        share_reduced(gram, gram.features, context);
        fill_centred(gram, slabs, context);
    }
    return gram;
}

}  // namespace

metrics::FeatureForms forms_of(const LayerGram& gram) {
    const auto n = static_cast<Eigen::Index>(gram.rows);
    metrics::FeatureForms forms{{gram.kernel.data(), n, n}, gram.features};
    forms.sums = {gram.sums.centred_times_mean, gram.sums.row_sums, gram.sums.row_extremes,
                  gram.sums.mean_squared};
    if (!gram.reduced.empty())
        forms.reduced = stats::ReducedFeatures([&gram, n]() -> stats::Matrix {
            return stats::MatrixView(gram.reduced.data(), n,
                                     static_cast<Eigen::Index>(gram.reduced.size()) / n);
        });
    return forms;
}

std::string gram_path(const std::string& out, const std::string& key) {
    return out + "/grams/" + key + ".h5";
}

std::optional<LayerGram> load_gram(const std::string& key, TeamContext& context) {
    const auto time = context.time(Stage::io);
    std::optional<io::GramCheckpoint> checkpoint;
    comm::run_collectively(context.team, [&] {
        if (context.leads()) checkpoint = io::read_gram(gram_path(context.out, key), key);
    });
    std::vector<std::uint64_t> shape;
    if (checkpoint) shape = {checkpoint->rows, checkpoint->features};
    shape = comm::unpack<std::vector<std::uint64_t>>(context.team.broadcast(comm::pack(shape), 0));
    if (shape.empty()) return std::nullopt;
    LayerGram gram = shared_gram(shape[0], shape[1], context);
    if (gram.features < gram.rows) share_reduced(gram, gram.features, context);
    if (checkpoint) {
        stats::unpack_triangle(checkpoint->packed, gram.rows, gram.kernel);
        std::copy(checkpoint->centred_features.begin(), checkpoint->centred_features.end(),
                  gram.reduced.begin());
        gram.sums = {std::move(checkpoint->centred_times_mean), std::move(checkpoint->row_sums),
                     std::move(checkpoint->row_extremes), checkpoint->mean_squared};
    }
    gram.sums = comm::unpack<LayerSums>(context.team.broadcast(comm::pack(gram.sums), 0));
    context.team.barrier();
    return gram;
}

LayerGram make_gram(const FeatureSource& source, const std::string& layer, const std::string& key,
                    TeamContext& context, const FeatureNames& names) {
    const auto time = context.time(Stage::gram);
    auto gram = built_gram(source, layer, context, names);
    core::give_back_freed_memory();
    comm::run_collectively(context.team, [&] {
        if (context.leads() && context.grams == Keep::keep) keep_gram(gram, key, context);
    });
    return gram;
}

void add_gram(LayerGram& sum, const LayerGram& more, TeamContext& context) {
    const auto time = context.time(Stage::gram);
    comm::run_collectively(context.team, [&] {
        if (sum.rows != more.rows)
            throw core::InputError("layers of different numbers of rows cannot be concatenated");
    });
    if (context.leads())
        for (std::size_t i = 0; i < sum.kernel.size(); ++i) sum.kernel[i] += more.kernel[i];
    LayerGram both;
    both.rows = sum.rows;
    both.features = sum.features + more.features;
    if (both.features < both.rows) {
        share_reduced(both, both.features, context);
        if (context.leads())
            std::copy(more.reduced.begin(), more.reduced.end(),
                      std::copy(sum.reduced.begin(), sum.reduced.end(), both.reduced.begin()));
    }
    context.team.barrier();
    add_sums(sum.sums, more.sums);
    sum.features = both.features;
    sum.reduced_memory = std::move(both.reduced_memory);
    sum.reduced = both.reduced;
}

void make_reduced(LayerGram& gram, const FeatureColumns& columns, TeamContext& context) {
    const auto time = context.time(Stage::gram);
    LayerGram made;  // what fails leaves nothing behind
    made.rows = gram.rows;
    share_reduced(made, std::min(gram.rows, gram.features), context);
    const auto scratch =
        context.team.share(stats::reducing_scratch(gram.rows, gram.features) * sizeof(double));
    std::vector<std::size_t> rows(gram.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const auto reader = columns.reader(rows);
    const auto read = [&](std::size_t first, std::size_t count) {
        context.stop.check(context.team);
        stats::FeatureMatrix slab;
        comm::run_collectively(context.team, [&] {
            if (context.leads()) slab = reader(first, count);
        });
        context.got_on();
        context.progress.step("reduce, feature", first + count, gram.features);
        return slab;
    };
    std::string problem;
    try {
        stats::reduce_features(gram.rows, gram.features, read, made.reduced, as_doubles(*scratch),
                               context.workers, share_of(context.team));
    } catch (const core::TransientError&) {
        throw;
    } catch (const core::InputError& error) {
        problem = error.what();  // all ranks see the same features
    } catch (const std::bad_alloc&) {
        if (context.team.size() > 1) core::log_error("out of memory while features are reduced");
        throw;
    }
    comm::run_collectively(context.team, [&] {
        if (!problem.empty()) throw core::InputError(problem);
    });
    gram.reduced_memory = std::move(made.reduced_memory);
    gram.reduced = made.reduced;
}

LayerGram gather_rows(const LayerGram& gram, const std::vector<std::size_t>& rows,
                      TeamContext& context) {
    const auto time = context.time(Stage::gram);
    LayerGram part = shared_gram(rows.size(), gram.features, context);
    const auto size = static_cast<std::size_t>(context.team.size());
    for (std::size_t j = static_cast<std::size_t>(context.team.rank()); j < rows.size(); j += size)
        for (std::size_t i = 0; i < rows.size(); ++i)
            part.kernel[j * rows.size() + i] = gram.kernel[rows[j] * gram.rows + rows[i]];
    for (const auto row : rows) {
        part.sums.centred_times_mean.push_back(gram.sums.centred_times_mean[row]);
        part.sums.row_sums.push_back(gram.sums.row_sums[row]);
        part.sums.row_extremes.push_back(gram.sums.row_extremes[2 * row]);
        part.sums.row_extremes.push_back(gram.sums.row_extremes[2 * row + 1]);
    }
    part.sums.mean_squared = gram.sums.mean_squared;
    gather_reduced(gram, rows, part, context);
    context.team.barrier();
    return part;
}

}  // namespace ventral::pipeline
