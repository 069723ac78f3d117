#include "metrics/feature_slabs.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <system_error>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "core/large_pages.hpp"
#include "core/seconds_since.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t no_block = std::numeric_limits<std::size_t>::max();

/// Row i becomes what row order[i] was.
template <typename T>
void permute_rows(std::span<T> table, std::size_t width, const std::vector<std::size_t>& order) {
    const auto row = [&](std::size_t i) { return table.data() + i * width; };
    std::vector<T> first(width);
    std::vector<char> done(order.size());
    for (std::size_t start = 0; start < order.size(); ++start) {
        if (done[start] || order[start] == start) continue;
        std::copy_n(row(start), width, first.data());
        std::size_t to = start;
        for (; order[to] != start; to = order[to]) {
            std::copy_n(row(order[to]), width, row(to));
            done[to] = 1;
        }
        std::copy_n(first.data(), width, row(to));
        done[to] = 1;
    }
}

template <typename T>
bool all_finite(std::span<const T> values) {
    int odd = 0;
    for (const T value : values)
        odd |= static_cast<int>(!(std::abs(value) <= std::numeric_limits<T>::max()));
    return odd == 0;
}

/// `values` are the columns from `first` on, in the order of the features' own rows.
template <typename T>
void require_finite(const Features& features, std::size_t first, std::span<const T> values) {
    if (all_finite(values)) return;
    const std::size_t width = values.size() / features.rows();
    const auto odd =
        std::find_if(values.begin(), values.end(), [](T value) { return !std::isfinite(value); });
    const auto position = static_cast<std::size_t>(odd - values.begin());
    throw core::InputError(
        (features.place.empty() ? "" : features.place + ": ") +
        odd_feature_text(features.labels, {position / width, first + position % width, *odd}));
}

/// Zeroes the odd entries of a row and tells whether there were any.
template <typename T>
bool zero_odd_entries(std::span<T> row) {
    if (all_finite<T>(row)) return false;
    std::replace_if(
        row.begin(), row.end(), [](T value) { return !std::isfinite(value); }, T{0});
    return true;
}

std::size_t row_count(const std::vector<FeaturePart>& parts) {
    std::size_t rows = 0;
    for (const auto& part : parts) rows += part.features.rows();
    return rows;
}

void check_parts(const std::vector<FeaturePart>& parts) {
    const Features& model = parts.front().features;
    for (const auto& part : parts) {
        core::naming(part.features.place, [&] { require_some(part.features); });
        assert(part.order.size() == part.features.rows());
        if (part.features.columns() == model.columns()) continue;
        throw core::InputError((part.features.place.empty() ? "" : part.features.place + ": ") +
                               "the train features (" + std::to_string(model.columns()) +
                               " columns) and the test features (" +
                               std::to_string(part.features.columns()) +
                               " columns) do not go together");
    }
}

bool are_all_float(const std::vector<FeaturePart>& parts) {
    return std::all_of(parts.begin(), parts.end(), [](const FeaturePart& part) {
        return std::holds_alternative<ReadInto<float>>(part.features.read);
    });
}

/// Float features may stand beside others of double precision.
template <typename T>
void read_as(const Features& features, std::size_t first, std::size_t count, std::span<T> out) {
    if (const auto* read = std::get_if<ReadInto<T>>(&features.read)) {
        (*read)(first, count, out);
        return;
    }
    std::vector<float> values(out.size());
    std::get<ReadInto<float>>(features.read)(first, count, values);
    std::copy(values.begin(), values.end(), out.begin());
}

/// Blocks of columns in buffers: one for each block, or two in turn.
class Blocks {
public:
    virtual ~Blocks() = default;
    virtual stats::FeatureMatrix read(std::size_t first, std::size_t count) = 0;
    virtual const std::vector<char>& odd_rows() const = 0;
};

template <typename T>
class TypedBlocks : public Blocks {
public:
    TypedBlocks(const std::vector<FeaturePart>& parts, Keep keep, OddEntries odd_entries)
        : parts_(parts),
          odd_entries_(odd_entries),
          rows_(row_count(parts)),
          odd_rows_(rows_),
          features_(parts.front().features.columns()),
          columns_(std::min(block_columns(keep), features_)),
          count_(core::ceil_divide(features_, columns_)),
          buffers_(keep == Keep::everything ? count_ : std::min<std::size_t>(2, count_)) {}

    ~TypedBlocks() override {
        if (ahead_.valid()) ahead_.wait();
    }

    stats::FeatureMatrix read(std::size_t first, std::size_t count) override {
        const std::size_t block = first / columns_;
        const std::size_t begin = block * columns_;
        assert(first + count <= begin + width(block));
        fetch(block);
        const std::span<const T> values(buffer(block).values.get(), rows_ * width(block));
        return {values.subspan(first - begin), rows_, count, width(block)};
    }

    const std::vector<char>& odd_rows() const override { return odd_rows_; }

private:
    struct Buffer {
        std::unique_ptr<T[]> values;  // a vector would be set to zero in vain
        std::size_t block = no_block;
    };

    Buffer& buffer(std::size_t block) { return buffers_[block % buffers_.size()]; }
    std::size_t width(std::size_t block) const {
        return std::min(columns_, features_ - block * columns_);
    }

    /// Has the block in its buffer, and the next one on its way into another.
    void fetch(std::size_t block) {
        finish_reading(block);
        if (buffer(block).block != block) {
            make_room(block);
            load(block);
        }
        const std::size_t next = block + 1;
        if (next == count_ || buffer(next).block == next) return;
        make_room(next);
        ahead_block_ = next;
        try {
            ahead_ = std::async(std::launch::async, [this, next] { load(next); });
        } catch (const std::system_error&) {  // no thread can be started: read when it is wanted
        }
    }

    /// An error in a block that nobody asks for is no error.
    void finish_reading(std::size_t wanted) {
        if (!ahead_.valid()) return;
        ahead_.wait();
        if (ahead_block_ == wanted)
            ahead_.get();
        else
            ahead_ = {};
    }

    /// In the caller's thread, so that the allocator's pool of that thread keeps it.
    void make_room(std::size_t block) {
        Buffer& into = buffer(block);
        into.block = no_block;
        if (into.values) return;
        const std::size_t columns = buffers_.size() < count_ ? columns_ : width(block);
        into.values = std::make_unique_for_overwrite<T[]>(rows_ * columns);
        core::prefer_large_pages(
            std::as_writable_bytes(std::span(into.values.get(), rows_ * columns)));
    }

    void load(std::size_t block) {
        Buffer& into = buffer(block);
        const std::size_t first = block * columns_;
        std::span<T> rest(into.values.get(), rows_ * width(block));
        for (const auto& part : parts_) {
            const auto rows = rest.first(part.features.rows() * width(block));
            read_as(part.features, first, width(block), rows);
            if (odd_entries_ == OddEntries::refused) require_finite<T>(part.features, first, rows);
            permute_rows(rows, width(block), part.order);
            rest = rest.subspan(rows.size());
        }
        if (odd_entries_ == OddEntries::zeroed)
            for (std::size_t row = 0; row < rows_; ++row)
                if (zero_odd_entries(
                        std::span(into.values.get() + row * width(block), width(block))))
                    odd_rows_[row] = 1;
        into.block = block;
    }

    const std::vector<FeaturePart>& parts_;
    OddEntries odd_entries_;
    std::size_t rows_;
    std::vector<char> odd_rows_;
    std::size_t features_;
    std::size_t columns_;
    std::size_t count_;
    std::vector<Buffer> buffers_;
    std::future<void> ahead_;
    std::size_t ahead_block_ = no_block;
};

}  // namespace

struct FeatureSlabs::State {
    std::vector<FeaturePart> parts;
    std::unique_ptr<Blocks> blocks;
    double waited_s = 0;
};

FeatureSlabs::FeatureSlabs(std::vector<FeaturePart> parts, Keep keep, OddEntries odd_entries)
    : state_(std::make_unique<State>()) {
    check_parts(parts);
    state_->parts = std::move(parts);
    if (are_all_float(state_->parts))
        state_->blocks = std::make_unique<TypedBlocks<float>>(state_->parts, keep, odd_entries);
    else
        state_->blocks = std::make_unique<TypedBlocks<double>>(state_->parts, keep, odd_entries);
}

FeatureSlabs::~FeatureSlabs() = default;

std::size_t FeatureSlabs::rows() const { return row_count(state_->parts); }
std::size_t FeatureSlabs::features() const { return state_->parts.front().features.columns(); }

stats::FeatureMatrix FeatureSlabs::read(std::size_t first, std::size_t count) {
    const auto start = std::chrono::steady_clock::now();
    const auto slab = state_->blocks->read(first, count);
    state_->waited_s += core::seconds_since(start);
    return slab;
}

const std::vector<char>& FeatureSlabs::odd_rows() const { return state_->blocks->odd_rows(); }

double FeatureSlabs::waited_s() const { return state_->waited_s; }

}  // namespace ventral::metrics
