#include "pipeline/fit/shared_slabs.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

static_assert(stats::slab_features == io::chunk_features);

FeatureShape shape_of(const FeatureSource& source, const std::string& layer) {
    if (const auto* file = std::get_if<const AveragedActivations*>(&source)) {
        if (const auto* found = (*file)->find(layer))
            return {(*file)->rows(), io::feature_count(*found), false};
        throw core::InputError("the activations file has no layer '" + layer + "'");
    }
    if (const auto* stored = std::get_if<const StoredFeatures*>(&source)) {
        const auto& labels = (*stored)->labels();
        return {labels.dims[0].size, stored_layer_size(labels, layer),
                std::holds_alternative<std::vector<double>>(labels.values)};
    }
    const auto& table = *std::get<const core::Assembly*>(source);
    return {table.dims[0].size, table.dims[1].size,
            std::holds_alternative<std::vector<double>>(table.values)};
}

/// Copies `count` columns from `first` on of a row-major table, which has `width` of them.
template <typename T>
void copy_columns(const std::vector<T>& table, std::size_t width, std::size_t first,
                  std::size_t count, std::span<T> to) {
    for (std::size_t i = 0; i * count < to.size(); ++i)
        std::copy_n(table.data() + i * width + first, count, to.data() + i * count);
}

}  // namespace

FeatureShape shared_shape(const FeatureSource& source, const std::string& layer,
                          comm::Communicator& team) {
    return comm::from_first_rank<FeatureShape>(team, [&] { return shape_of(source, layer); });
}

std::size_t slabs_at_once(double slab_bytes) {
    constexpr double most = 4;
    constexpr double most_bytes = 20 << 20;  // twice that has to fit into a container's /dev/shm
    return static_cast<std::size_t>(std::clamp(most_bytes / slab_bytes, 1.0, most));
}

SharedSlabs::SharedSlabs(const FeatureSource& source, std::string layer, const FeatureShape& shape,
                         TeamContext& context)
    : source_(source), layer_(std::move(layer)), shape_(shape), context_(context) {
    const std::size_t width = std::min<std::size_t>(shape.features, stats::slab_features);
    const std::size_t size = shape.doubles ? sizeof(double) : sizeof(float);
    const std::size_t slab = shape.rows * width * size;
    at_once_ = stats::slab_features * slabs_at_once(static_cast<double>(slab));
    const std::size_t bytes = shape.rows * size * std::min<std::size_t>(shape.features, at_once_);
    for (auto& buffer : buffers_) buffer = context.team.share(bytes);
}

SharedSlabs::~SharedSlabs() {
    if (ahead_.valid()) ahead_.wait();
}

stats::FeatureMatrix SharedSlabs::read(std::size_t first, std::size_t count) {
    if (const Range slab{first, count}; !is_present(slab)) read_group(group_of(slab));
    context_.got_on();
    context_.progress.step("gram " + layer_ + ", feature", first + count, shape_.features);
    auto& buffer = *buffers_[1 - next_];
    const std::size_t begin = shape_.rows * (first - present_.first);
    const std::size_t values = shape_.rows * count;
    stats::FeatureMatrix slab{{}, shape_.rows, count, count};
    if (shape_.doubles)
        slab.values = buffer.as<const double>().subspan(begin, values);
    else
        slab.values = buffer.as<const float>().subspan(begin, values);
    return slab;
}

bool SharedSlabs::is_present(const Range& slab) const {
    const std::size_t end = present_.first + present_.count;
    return slab.first >= present_.first && slab.first < end &&
           (slab.first - present_.first) % stats::slab_features == 0 &&
           slab.count == std::min(stats::slab_features, end - slab.first);
}

SharedSlabs::Range SharedSlabs::group_of(const Range& slab) const {
    const std::size_t left = shape_.features - slab.first;
    const bool is_whole = slab.first % stats::slab_features == 0 &&
                          slab.count == std::min(stats::slab_features, left);
    return is_whole ? Range{slab.first, std::min(at_once_, left)} : slab;
}

void SharedSlabs::read_group(const Range& group) {
    context_.stop.check(context_.team);
    auto* to = buffers_[next_]->bytes().data();
    next_ = 1 - next_;
    present_ = {};
    comm::run_collectively(context_.team, [&] {
        if (context_.leads()) take(group, to);
    });
    context_.team.barrier();
    present_ = group;
}

void SharedSlabs::take(const Range& group, std::byte* to) {
    const auto time = context_.time(Stage::io);
    auto ahead = std::exchange(ahead_, {});
    if (ahead.valid()) ahead.wait();
    if (ahead.valid() && ahead_range_ == group)
        ahead.get();
    else
        fill(group, to);
    read_ahead(group.first + group.count);
}

/// Into the buffer of the group before the last, which nobody looks at any more: `read` was entered
/// by all ranks after they were done with it.
void SharedSlabs::read_ahead(std::size_t first) {
    if (first >= shape_.features) return;
    ahead_range_ = {first, std::min(at_once_, shape_.features - first)};
    auto* to = buffers_[next_]->bytes().data();
    try {
        ahead_ = std::async(std::launch::async, [=, this] { fill(ahead_range_, to); });
    } catch (const std::system_error&) {
        // No thread can be started: it is read when it is asked for.
    }
}

void SharedSlabs::fill(const Range& group, std::byte* to) const {
    if (const auto* file = std::get_if<const AveragedActivations*>(&source_)) {
        const std::span out(reinterpret_cast<float*>(to), shape_.rows * group.count);
        if (group.first % stats::slab_features == 0)
            (*file)->read_slabs(layer_, group.first, group.count, out);
        else
            (*file)->read_columns(layer_, group.first, group.count, out);
    } else if (shape_.doubles) {
        fill_stored(group, reinterpret_cast<double*>(to));
    } else {
        fill_stored(group, reinterpret_cast<float*>(to));
    }
}

template <typename T>
void SharedSlabs::fill_stored(const Range& group, T* to) const {
    for (std::size_t done = 0; done < group.count; done += stats::slab_features) {
        const std::size_t first = group.first + done;
        const std::size_t count = std::min(stats::slab_features, group.count - done);
        const std::span slab(to + shape_.rows * done, shape_.rows * count);
        if (const auto* stored = std::get_if<const StoredFeatures*>(&source_))
            (*stored)->read_columns(layer_, first, count, slab);
        else
            copy_columns(std::get<std::vector<T>>(std::get<const core::Assembly*>(source_)->values),
                         shape_.features, first, count, slab);
    }
}

}  // namespace ventral::pipeline
