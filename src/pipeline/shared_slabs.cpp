#include "pipeline/shared_slabs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/records.hpp"
#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

FeatureShape shape_of(const FeatureSource& source, const std::string& layer) {
    if (const auto* file = std::get_if<const AveragedActivations*>(&source)) {
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

}  // namespace

FeatureShape shared_shape(const FeatureSource& source, const std::string& layer,
                          comm::Communicator& team) {
    std::string packed;
    comm::run_collectively(team, [&] {
        if (team.rank() == 0) packed = comm::pack(shape_of(source, layer));
    });
    return comm::unpack<FeatureShape>(team.broadcast(packed, 0));
}

SharedSlabs::SharedSlabs(const FeatureSource& source, std::string layer, const FeatureShape& shape,
                         TeamContext& context)
    : source_(source), layer_(std::move(layer)), shape_(shape), context_(context) {
    const std::size_t width = std::min<std::size_t>(shape.features, stats::slab_features);
    const std::size_t size = shape.doubles ? sizeof(double) : sizeof(float);
    for (auto& buffer : buffers_) buffer = context.team.share(shape.rows * width * size);
}

SharedSlabs::~SharedSlabs() {
    if (ahead_.valid()) ahead_.wait();
}

stats::FeatureMatrix SharedSlabs::read(std::size_t first, std::size_t count) {
    context_.stop.check(context_.team);
    const auto bytes = buffers_[next_]->bytes();
    next_ = 1 - next_;
    comm::run_collectively(context_.team, [&] {
        if (context_.leads()) take(first, count, bytes.data());
    });
    context_.team.barrier();
    context_.got_on();
    context_.progress.step("gram " + layer_ + ", feature", first + count, shape_.features);
    stats::FeatureMatrix slab{{}, shape_.rows, count, count};
    const std::size_t values = shape_.rows * count;
    if (shape_.doubles)
        slab.values = std::span(reinterpret_cast<const double*>(bytes.data()), values);
    else
        slab.values = std::span(reinterpret_cast<const float*>(bytes.data()), values);
    return slab;
}

void SharedSlabs::take(std::size_t first, std::size_t count, std::byte* to) {
    const auto time = context_.time(Stage::io);
    auto ahead = std::exchange(ahead_, {});
    if (ahead.valid()) ahead.wait();
    if (ahead.valid() && ahead_first_ == first)
        ahead.get();
    else
        fill(first, count, to);
    read_ahead(first + count);
}

/// Into the buffer of the slab before the last, which nobody looks at any more: `read` was entered
/// by all ranks after they were done with it.
void SharedSlabs::read_ahead(std::size_t first) {
    ahead_first_ = first;
    if (first >= shape_.features) return;
    const std::size_t count = std::min<std::size_t>(stats::slab_features, shape_.features - first);
    auto* to = buffers_[next_]->bytes().data();
    ahead_ = std::async(std::launch::async, [=, this] { fill(first, count, to); });
}

void SharedSlabs::fill(std::size_t first, std::size_t count, std::byte* to) const {
    if (const auto* file = std::get_if<const AveragedActivations*>(&source_)) {
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

}  // namespace ventral::pipeline
