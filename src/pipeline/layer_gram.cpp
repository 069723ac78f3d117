#include "pipeline/layer_gram.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/gram_file.hpp"

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

/// Shapes that all ranks have to know before they share memory.
struct FeatureShape {
    std::uint64_t rows = 0;
    std::uint64_t features = 0;
    bool doubles = false;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& rows& features& doubles;
    }
};

FeatureShape shape_of(const FeatureSource& source, const std::string& layer) {
    if (const auto* file = std::get_if<const io::ActivationsFile*>(&source)) {
        for (const auto& each : (*file)->layers())
            if (each.name == layer) return {(*file)->rows(), io::feature_count(each), false};
        throw core::InputError("the activations file has no layer '" + layer + "'");
    }
    const auto& table = *std::get<const core::Assembly*>(source);
    if (std::holds_alternative<std::vector<std::string>>(table.values) ||
        std::holds_alternative<std::vector<std::int64_t>>(table.values))
        throw core::InputError("the stored features are " + core::type_name(table.values) +
                               " (float32 or float64 is needed)");
    return {table.dims[0].size, table.dims[1].size,
            std::holds_alternative<std::vector<double>>(table.values)};
}

/// Copies `count` columns from `first` on of a row-major table.
template <typename T>
void copy_columns(const std::vector<T>& table, const FeatureShape& shape, std::size_t first,
                  std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < shape.rows; ++i)
        std::memcpy(to + i * count * sizeof(T), table.data() + i * shape.features + first,
                    count * sizeof(T));
}

/// Slabs of features in two shared buffers in turn, filled by the first rank.
class SharedSlabs {
public:
    SharedSlabs(const FeatureSource& source, std::string layer, const FeatureShape& shape,
                TeamContext& context)
        : source_(source), layer_(std::move(layer)), shape_(shape), context_(context) {
        const std::size_t width = std::min<std::size_t>(shape.features, stats::slab_features);
        const std::size_t size = shape.doubles ? sizeof(double) : sizeof(float);
        for (auto& buffer : buffers_) buffer = context.team.share(shape.rows * width * size);
    }

    stats::FeatureMatrix read(std::size_t first, std::size_t count) {
        context_.stop.check(context_.team);
        const auto bytes = buffers_[next_]->bytes();
        next_ = 1 - next_;
        comm::run_collectively(context_.team, [&] {
            if (context_.leads()) fill(first, count, bytes.data());
        });
        context_.team.barrier();
        context_.progress.step("gram " + layer_ + ", feature", first + count, shape_.features);
        stats::FeatureMatrix slab{{}, shape_.rows, count, count};
        const std::size_t values = shape_.rows * count;
        if (shape_.doubles)
            slab.values = std::span(reinterpret_cast<const double*>(bytes.data()), values);
        else
            slab.values = std::span(reinterpret_cast<const float*>(bytes.data()), values);
        return slab;
    }

    /// The centred features of a narrow layer, by the first rank. Collective.
    void fill_centred(LayerGram& gram) {
        for (std::size_t first = 0; first < shape_.features; first += stats::slab_features) {
            const auto slab =
                read(first, std::min<std::size_t>(stats::slab_features, shape_.features - first));
            if (!context_.leads()) continue;
            core::Workers alone(1);
            const auto centred = stats::reduce_features(
                slab.rows, slab.features,
                [&](std::size_t from, std::size_t count) {
                    return stats::columns_of(slab, from, count);
                },
                alone);
            std::copy_n(centred.data(), centred.size(), gram.reduced.data() + first * gram.rows);
        }
        context_.team.barrier();
    }

private:
    void fill(std::size_t first, std::size_t count, std::byte* to) const {
        if (const auto* file = std::get_if<const io::ActivationsFile*>(&source_)) {
            (*file)->read_columns(layer_, first, count,
                                  {reinterpret_cast<float*>(to), shape_.rows * count});
            return;
        }
        const auto& table = *std::get<const core::Assembly*>(source_);
        if (shape_.doubles)
            copy_columns(std::get<std::vector<double>>(table.values), shape_, first, count, to);
        else
            copy_columns(std::get<std::vector<float>>(table.values), shape_, first, count, to);
    }

    const FeatureSource& source_;
    std::string layer_;
    FeatureShape shape_;
    TeamContext& context_;
    std::unique_ptr<comm::SharedMemory> buffers_[2];
    std::size_t next_ = 0;
};

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
                    TeamContext& context) {
    std::string packed;
    comm::run_collectively(context.team, [&] {
        if (context.leads()) packed = comm::pack(shape_of(source, layer));
    });
    const auto shape = comm::unpack<FeatureShape>(context.team.broadcast(packed, 0));

    LayerGram gram;
    gram.rows = shape.rows;
    gram.features = shape.features;
    const auto block = stats::gram_sizes(shape.rows, shape.features).total();
    gram.memory = context.team.share(block * sizeof(double));
    const auto memory =
        stats::gram_memory(as_doubles(*gram.memory).first(block), shape.rows, shape.features);
    SharedSlabs slabs(source, layer, shape, context);
    std::string problem;
    try {
        stats::build_gram(
            shape.rows, shape.features,
            [&](std::size_t first, std::size_t count) { return slabs.read(first, count); }, memory,
            context.workers, share_of(context.team));
    } catch (const core::InputError& error) {
        problem = "layer '" + layer + "': " + error.what();  // all ranks see the same K
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
    if (gram.features < gram.rows) {
        share_reduced(gram, gram.features, context);
        slabs.fill_centred(gram);
    }
    comm::run_collectively(context.team, [&] {
        if (context.leads() && context.grams == Keep::keep)
            io::write_gram(gram_path(context.out, key), key, context.provenance,
                           checkpoint_of(gram));
    });
    return gram;
}

void add_gram(LayerGram& sum, const LayerGram& more, TeamContext& context) {
    if (sum.rows != more.rows)
        throw core::InputError("layers of different numbers of rows cannot be concatenated");
    context.team.barrier();
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
    const std::size_t width = std::min(gram.rows, gram.features);
    share_reduced(gram, width, context);
    comm::run_collectively(context.team, [&] {
        if (!context.leads()) return;
        std::vector<std::size_t> rows(gram.rows);
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        const auto reduced =
            stats::reduce_features(gram.rows, gram.features, columns.reader(rows), context.workers);
        std::copy_n(reduced.data(), gram.reduced.size(), gram.reduced.data());
    });
    context.team.barrier();
}

LayerGram gather_rows(const LayerGram& gram, const std::vector<std::size_t>& rows,
                      TeamContext& context) {
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
