#include "stats/similarity/ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Values of a task, of a bucket on average, and of the sample for each bucket.
constexpr std::size_t block_size = std::size_t{1} << 16;
constexpr std::size_t bucket_size = 8192;
constexpr std::size_t most_buckets = 4096;
constexpr std::size_t sample_size = 16;

std::size_t blocks_of(std::size_t size) { return core::ceil_divide(size, block_size); }

std::span<const double> block_of(std::span<const double> values, std::size_t block) {
    const std::size_t first = block * block_size;
    return values.subspan(first, std::min(block_size, values.size() - first));
}

/// Boundaries between 2^k buckets that are about equally full: one less than there are buckets.
std::vector<double> splitters_of(std::span<const double> values) {
    const std::size_t buckets = std::min(
        most_buckets, std::bit_ceil(std::max<std::size_t>(values.size() / bucket_size, 1)));
    std::vector<double> sample(buckets > 1 ? buckets * sample_size : 0);
    for (std::size_t i = 0; i < sample.size(); ++i)
        sample[i] = values[values.size() * i / sample.size()];
    std::sort(sample.begin(), sample.end());
    std::vector<double> splitters(buckets - 1);
    for (std::size_t b = 0; b < splitters.size(); ++b) splitters[b] = sample[(b + 1) * sample_size];
    return splitters;
}

/// The bucket of a value is the number of splitters that are not above it.
class Splitters {
public:
    /// `splitters` ascend.
    explicit Splitters(std::vector<double> splitters) : splitters_(std::move(splitters)) {
        if (splitters_.empty()) return;
        scale_ = static_cast<double>(slots - 1) / (splitters_.back() - splitters_.front());
        if (!std::isfinite(scale_)) scale_ = 0;
        for (const double splitter : splitters_) ++first_[slot_of(splitter) + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
    }

    std::size_t buckets() const { return splitters_.size() + 1; }

    std::size_t bucket_of(double value) const {
        if (splitters_.empty()) return 0;
        const std::size_t slot = slot_of(value);
        const auto begin = splitters_.begin();
        return static_cast<std::size_t>(
            std::upper_bound(begin + first_[slot], begin + first_[slot + 1], value) - begin);
    }

private:
    static constexpr std::size_t slots = std::size_t{1} << 14;

    /// Slots of equal width, which a larger value is never in an earlier one of.
    std::size_t slot_of(double value) const {
        const double slot = (value - splitters_.front()) * scale_;
        if (!(slot > 0)) return 0;
        return static_cast<std::size_t>(
            static_cast<std::int64_t>(std::min(slot, static_cast<double>(slots - 1))));
    }

    std::vector<double> splitters_;
    double scale_ = 0;
    /// How many splitters are in the slots before each one.
    std::vector<std::uint16_t> first_ = std::vector<std::uint16_t>(slots + 1, 0);
};

/// Where the values of a block go, or come from, in each bucket: one more place for each value.
using Places = std::vector<std::uint32_t>;

/// The values, bucket by bucket; in a bucket they keep their order.
class Buckets {
public:
    Buckets(std::span<const double> values, core::Workers& workers);

    std::size_t count() const { return starts_.size() - 1; }
    std::size_t start(std::size_t bucket) const { return starts_[bucket]; }
    std::span<double> operator[](std::size_t bucket) {
        return {values_.get() + starts_[bucket], starts_[bucket + 1] - starts_[bucket]};
    }

    /// What the buckets hold now, each value in the place of the one that it has replaced.
    void collect(std::span<double> into, core::Workers& workers) const;

private:
    void choose(std::span<const double> values, core::Workers& workers);

    std::vector<std::uint16_t> bucket_;  // of each value
    std::vector<Places> places_;         // of each block
    std::vector<std::size_t> starts_;    // one more than there are buckets
    std::unique_ptr<double[]> values_;
};

Buckets::Buckets(std::span<const double> values, core::Workers& workers)
    : bucket_(values.size()), places_(blocks_of(values.size())), starts_{0} {
    choose(values, workers);
    values_ = std::make_unique_for_overwrite<double[]>(values.size());
    workers.parallel_for(places_.size(), [&](std::size_t block) {
        Places next = places_[block];
        const std::uint16_t* bucket = bucket_.data() + block * block_size;
        for (const double value : block_of(values, block)) values_[next[*bucket++]++] = value;
    });
}

void Buckets::choose(std::span<const double> values, core::Workers& workers) {
    const Splitters splitters(splitters_of(values));
    workers.parallel_for(places_.size(), [&](std::size_t block) {
        Places counts(splitters.buckets(), 0);
        std::uint16_t* to = bucket_.data() + block * block_size;
        for (const double value : block_of(values, block)) {
            const std::size_t bucket = splitters.bucket_of(value);
            ++counts[bucket];
            *to++ = static_cast<std::uint16_t>(bucket);
        }
        places_[block] = std::move(counts);
    });
    std::uint32_t total = 0;
    for (std::size_t b = 0; b < splitters.buckets(); ++b) {
        for (auto& of_block : places_) total += std::exchange(of_block[b], total);
        starts_.push_back(total);
    }
}

void Buckets::collect(std::span<double> into, core::Workers& workers) const {
    workers.parallel_for(places_.size(), [&](std::size_t block) {
        Places next = places_[block];
        const std::size_t first = block * block_size;
        const std::size_t last = std::min(first + block_size, into.size());
        for (std::size_t i = first; i < last; ++i) into[i] = values_[next[bucket_[i]]++];
    });
}

/// What of a sorted bucket its neighbours must know.
struct Edges {
    double least = nan;
    double largest = nan;
    double gap = infinity;
};

struct Entry {
    double value;
    std::uint32_t position;
};

bool is_less(const Entry& a, const Entry& b) { return a.value < b.value; }

/// For few entries, or such as are nearly sorted.
void insertion_sort(std::span<Entry> entries) {
    for (std::size_t i = 1; i < entries.size(); ++i) {
        const Entry entry = entries[i];
        std::size_t to = i;
        for (; to > 0 && entry.value < entries[to - 1].value; --to) entries[to] = entries[to - 1];
        entries[to] = entry;
    }
}

std::vector<Entry> entries_of(std::span<const double> values) {
    std::vector<Entry> entries;
    entries.reserve(values.size());
    for (const double value : values)
        entries.push_back({value, static_cast<std::uint32_t>(entries.size())});
    return entries;
}

/// Sorted by value: as many slots of equal width as there are entries, then the entries of each
/// slot. Evenly spread values are a few in each; at worst all are in one.
std::vector<Entry> sorted_entries(std::span<const double> values) {
    constexpr std::uint32_t few = 16;
    const Eigen::Map<const Eigen::ArrayXd> all(values.data(),
                                               static_cast<Eigen::Index>(values.size()));
    const double lowest = all.minCoeff();
    const double scale = (static_cast<double>(values.size()) - 1) / (all.maxCoeff() - lowest);
    if (!(scale > 0 && std::isfinite(scale))) {
        auto entries = entries_of(values);
        std::sort(entries.begin(), entries.end(), is_less);
        return entries;
    }
    const auto slot_of = [&](double value) {
        return static_cast<std::size_t>(static_cast<std::int64_t>((value - lowest) * scale));
    };
    // Slot s of `next` is where its next entry goes; in the end, where the slot after it begins.
    std::vector<std::uint32_t> next(values.size() + 2, 0);
    for (const double value : values) ++next[slot_of(value) + 2];
    const bool crowded = *std::max_element(next.begin(), next.end()) > few;
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Entry> entries(values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i)
        entries[next[slot_of(values[i]) + 1]++] = {values[i], i};
    if (crowded)
        for (std::size_t s = 0; s + 1 < next.size(); ++s)
            if (next[s + 1] - next[s] > few)
                std::sort(entries.begin() + next[s], entries.begin() + next[s + 1], is_less);
    insertion_sort(entries);
    return entries;
}

/// The mean of the ranks from `first` + 1 to `end`.
double shared_rank(std::size_t first, std::size_t end) {
    return static_cast<double>(first + end + 1) / 2;
}

Edges rank_bucket(std::span<double> values, std::size_t first);

/// The same of a bucket most of which equals its `least`, as often as `ties` says. Only the others
/// are sorted: what many values share is a splitter, so that a bucket that is much larger than most
/// begins with it.
Edges rank_heap(std::span<double> values, std::size_t first, double least, std::size_t ties) {
    std::vector<double> others;
    others.reserve(values.size() - ties);
    std::copy_if(values.begin(), values.end(), std::back_inserter(others),
                 [&](double value) { return value != least; });
    const Edges above = rank_bucket(others, first + ties);
    auto next = others.begin();
    for (double& value : values)
        value = value == least ? shared_rank(first, first + ties) : *next++;
    if (others.empty()) return {least, least, infinity};
    return {least, above.largest, std::min(above.least - least, above.gap)};
}

/// Replaces the values of a bucket by their ranks, of which `first` are below.
Edges rank_bucket(std::span<double> values, std::size_t first) {
    if (values.empty()) return {};
    const double least = *std::min_element(values.begin(), values.end());
    const auto ties = static_cast<std::size_t>(std::count(values.begin(), values.end(), least));
    if (2 * ties > values.size()) return rank_heap(values, first, least, ties);
    const auto entries = sorted_entries(values);
    Edges edges{entries.front().value, entries.back().value, infinity};
    for (std::size_t i = 0, end = 0; i < entries.size(); i = end) {
        while (end < entries.size() && entries[end].value == entries[i].value) ++end;
        const double rank = shared_rank(first + i, first + end);
        for (std::size_t k = i; k < end; ++k) values[entries[k].position] = rank;
        if (end < entries.size())
            edges.gap = std::min(edges.gap, entries[end].value - entries[i].value);
    }
    return edges;
}

double smallest_gap(const std::vector<Edges>& buckets) {
    Edges all;
    for (const Edges& bucket : buckets) {
        if (std::isnan(bucket.least)) continue;
        if (std::isnan(all.least))
            all.least = bucket.least;
        else
            all.gap = std::min(all.gap, bucket.least - all.largest);
        all.largest = bucket.largest;
        all.gap = std::min(all.gap, bucket.gap);
    }
    return std::isinf(all.gap) ? infinity : all.gap / (all.largest - all.least);
}

/// Sums of products of the deviations from the mean rank.
struct Moments {
    double xx, xy, yy;
};

Moments moments_of(std::span<const double> x, std::span<const double> y, core::Workers& workers) {
    const double mean = (static_cast<double>(x.size()) + 1) / 2;
    const std::size_t blocks = blocks_of(x.size());
    std::array<std::vector<double>, 3> parts;
    parts.fill(std::vector<double>(blocks));
    workers.parallel_for(blocks, [&](std::size_t block) {
        const auto centred = [&](std::span<const double> ranks) {
            const auto part = block_of(ranks, block);
            std::vector<double> values(part.begin(), part.end());
            for (double& value : values) value -= mean;
            return values;
        };
        const auto a = centred(x);
        const auto b = centred(y);
        parts[0][block] = dot(a, a);
        parts[1][block] = dot(a, b);
        parts[2][block] = dot(b, b);
    });
    return {sum(parts[0]), sum(parts[1]), sum(parts[2])};
}

}  // namespace

Ranks average_ranks(std::vector<double> values, core::Workers& workers) {
    if (values.size() > std::numeric_limits<std::uint32_t>::max())
        throw core::InputError(std::to_string(values.size()) +
                               " values to rank (fewer than 2^32 are supported)");
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
        std::fill(values.begin(), values.end(), nan);
        return {std::move(values), infinity};
    }
    Buckets buckets(values, workers);
    std::vector<Edges> edges(buckets.count());
    workers.parallel_for(
        edges.size(), [&](std::size_t b) { edges[b] = rank_bucket(buckets[b], buckets.start(b)); });
    buckets.collect(values, workers);
    return {std::move(values), smallest_gap(edges)};
}

double rank_correlation(std::span<const double> x, std::span<const double> y,
                        core::Workers& workers) {
    if (x.size() != y.size()) throw std::invalid_argument("rank_correlation: lengths differ");
    const Moments moments = moments_of(x, y, workers);
    return std::clamp(moments.xy / std::sqrt(moments.xx) / std::sqrt(moments.yy), -1.0, 1.0);
}

}  // namespace ventral::stats
