#include "pipeline/layer_gram.hpp"

#include <algorithm>
#include <cstring>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "io/gram_file.hpp"

namespace ventral::pipeline {
namespace {

std::span<double> as_doubles(comm::SharedMemory& memory) {
    const auto bytes = memory.bytes();
    return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
}

void share_centred(LayerGram& gram, TeamContext& context) {
    const std::size_t size = gram.rows * gram.features;
    gram.centred_memory = context.team.share(size * sizeof(double));
    gram.centred = as_doubles(*gram.centred_memory).first(size);
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
            std::copy_n(centred.data(), centred.size(), gram.centred.data() + first * gram.rows);
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

io::GramCheckpoint checkpoint_of(const stats::GramMemory& memory, const LayerGram& gram) {
    const std::size_t rows = gram.rows;
    const std::size_t features = gram.features;
    io::GramCheckpoint checkpoint;
    checkpoint.centred_features.assign(gram.centred.begin(), gram.centred.end());
    checkpoint.rows = rows;
    checkpoint.features = features;
    checkpoint.packed = stats::pack_triangle(memory.kernel, rows);
    checkpoint.centred_times_mean.assign(memory.centred_times_mean.begin(),
                                         memory.centred_times_mean.end());
    checkpoint.mean_squared = memory.mean_squared[0];
    checkpoint.row_sums.assign(memory.row_sums.begin(), memory.row_sums.end());
    for (std::size_t row = 0; row < rows; ++row)
        checkpoint.constant_rows.push_back(memory.row_extremes[2 * row] ==
                                           memory.row_extremes[2 * row + 1]);
    return checkpoint;
}

stats::TeamShare share_of(comm::Communicator& team) {
    return {static_cast<std::size_t>(team.rank()), static_cast<std::size_t>(team.size()),
            [&team] { team.barrier(); }};
}

}  // namespace

metrics::FeatureForms forms_of(const LayerGram& gram) {
    const auto n = static_cast<Eigen::Index>(gram.rows);
    metrics::FeatureForms forms{{gram.kernel.data(), n, n}, gram.features, {}};
    if (!gram.centred.empty())
        forms.reduced = stats::ReducedFeatures([&gram, n]() -> stats::Matrix {
            return stats::MatrixView(gram.centred.data(), n,
                                     static_cast<Eigen::Index>(gram.features));
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
    if (gram.features < gram.rows) share_centred(gram, context);
    if (checkpoint) {
        stats::unpack_triangle(checkpoint->packed, gram.rows, gram.kernel);
        std::copy(checkpoint->centred_features.begin(), checkpoint->centred_features.end(),
                  gram.centred.begin());
    }
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
    }
    comm::run_collectively(context.team, [&] {
        if (!problem.empty()) throw core::InputError(problem);
    });
    gram.kernel = memory.kernel;
    if (gram.features < gram.rows) {
        share_centred(gram, context);
        slabs.fill_centred(gram);
    }
    comm::run_collectively(context.team, [&] {
        if (context.leads() && context.grams == Keep::keep)
            io::write_gram(gram_path(context.out, key), key, context.provenance,
                           checkpoint_of(memory, gram));
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
        share_centred(both, context);
        if (context.leads())
            std::copy(more.centred.begin(), more.centred.end(),
                      std::copy(sum.centred.begin(), sum.centred.end(), both.centred.begin()));
    }
    context.team.barrier();
    sum.features = both.features;
    sum.centred_memory = std::move(both.centred_memory);
    sum.centred = both.centred;
}

LayerGram gather_rows(const LayerGram& gram, const std::vector<std::size_t>& rows,
                      TeamContext& context) {
    LayerGram part = shared_gram(rows.size(), gram.features, context);
    const auto size = static_cast<std::size_t>(context.team.size());
    for (std::size_t j = static_cast<std::size_t>(context.team.rank()); j < rows.size(); j += size)
        for (std::size_t i = 0; i < rows.size(); ++i)
            part.kernel[j * rows.size() + i] = gram.kernel[rows[j] * gram.rows + rows[i]];
    if (!gram.centred.empty()) {
        share_centred(part, context);
        if (context.leads())
            for (std::size_t j = 0; j < gram.features; ++j)
                for (std::size_t i = 0; i < rows.size(); ++i)
                    part.centred[j * rows.size() + i] = gram.centred[j * gram.rows + rows[i]];
    }
    context.team.barrier();
    return part;
}

}  // namespace ventral::pipeline
