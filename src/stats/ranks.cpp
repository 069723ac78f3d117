#include "stats/ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "core/errors.hpp"
#include "stats/matrix.hpp"

namespace ventral::stats {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Values of a task, of a bucket on average, and of the sample for each bucket.
constexpr std::size_t block_size = std::size_t{1} << 16;
constexpr std::size_t bucket_size = 4096;
constexpr std::size_t most_buckets = 4096;
constexpr std::size_t sample_size = 16;

std::size_t blocks_of(std::size_t size) { return (size + block_size - 1) / block_size; }

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

/// The number of splitters that are not above `value`; without branches, since none of them could
/// be foreseen.
std::size_t bucket_of(double value, std::span<const double> splitters) {
    std::size_t bucket = 0;
    for (std::size_t step = (splitters.size() + 1) / 2; step > 0; step /= 2)
        bucket += step * static_cast<std::size_t>(splitters[bucket + step - 1] <= value);
    return bucket;
}

/// Positions of the values, bucket by bucket.
struct Buckets {
    std::vector<std::uint32_t> positions;
    std::vector<std::size_t> starts;  ///< one more than there are buckets
};

Buckets divide(std::span<const double> values, core::Workers& workers) {
    const auto splitters = splitters_of(values);
    const std::size_t buckets = splitters.size() + 1;
    const std::size_t blocks = blocks_of(values.size());
    std::vector<std::uint16_t> bucket(values.size());
    std::vector<std::vector<std::size_t>> next(blocks, std::vector<std::size_t>(buckets, 0));
    workers.parallel_for(blocks, [&](std::size_t block) {
        std::uint16_t* to = bucket.data() + block * block_size;
        for (const double value : block_of(values, block)) {
            const std::size_t b = bucket_of(value, splitters);
            ++next[block][b];
            *to++ = static_cast<std::uint16_t>(b);
        }
    });
    Buckets result{std::vector<std::uint32_t>(values.size()), {0}};
    std::size_t total = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
        for (auto& of_block : next) {
            const std::size_t count = of_block[b];
            of_block[b] = total;
            total += count;
        }
        result.starts.push_back(total);
    }
    workers.parallel_for(blocks, [&](std::size_t block) {
        const std::size_t first = block * block_size;
        const std::size_t last = std::min(first + block_size, values.size());
        for (std::size_t i = first; i < last; ++i)
            result.positions[next[block][bucket[i]]++] = static_cast<std::uint32_t>(i);
    });
    return result;
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

/// Sorts by value: as many slots of equal width as there are entries, then the entries of each
/// slot. Evenly spread values are a few in each; at worst all are in one.
void sort_entries(std::vector<Entry>& entries) {
    const auto [least, largest] = std::minmax_element(entries.begin(), entries.end(), is_less);
    const double lowest = least->value;
    const double scale = (static_cast<double>(entries.size()) - 1) / (largest->value - lowest);
    if (!(scale > 0 && std::isfinite(scale)))
        return std::sort(entries.begin(), entries.end(), is_less);
    const auto slot_of = [&](const Entry& entry) {
        return static_cast<std::size_t>(static_cast<std::int64_t>((entry.value - lowest) * scale));
    };
    // Slot s of `next` is where its next entry goes; in the end, where the slot after it begins.
    std::vector<std::uint32_t> next(entries.size() + 2, 0);
    for (const Entry& entry : entries) ++next[slot_of(entry) + 2];
    for (std::size_t s = 1; s < next.size(); ++s) next[s] += next[s - 1];
    std::vector<Entry> sorted(entries.size());
    for (const Entry& entry : entries) sorted[next[slot_of(entry) + 1]++] = entry;
    for (std::size_t s = 0; s + 1 < next.size(); ++s)
        if (next[s + 1] - next[s] > 1)
            std::sort(sorted.begin() + next[s], sorted.begin() + next[s + 1], is_less);
    entries.swap(sorted);
}

/// Replaces the values at `positions` by their ranks, of which `first` are below.
Edges rank_bucket(std::span<const std::uint32_t> positions, std::size_t first,
                  std::span<double> values) {
    if (positions.empty()) return {};
    std::vector<Entry> entries;
    entries.reserve(positions.size());
    for (const auto position : positions) entries.push_back({values[position], position});
    sort_entries(entries);
    Edges edges{entries.front().value, entries.back().value, infinity};
    for (std::size_t i = 0, end = 0; i < entries.size(); i = end) {
        while (end < entries.size() && entries[end].value == entries[i].value) ++end;
        const double rank = static_cast<double>(2 * first + i + end + 1) / 2;
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
    const Buckets buckets = divide(values, workers);
    std::vector<Edges> edges(buckets.starts.size() - 1);
    workers.parallel_for(edges.size(), [&](std::size_t b) {
        const std::size_t first = buckets.starts[b];
        edges[b] =
            rank_bucket(std::span(buckets.positions).subspan(first, buckets.starts[b + 1] - first),
                        first, values);
    });
    return {std::move(values), smallest_gap(edges)};
}

double rank_correlation(std::span<const double> x, std::span<const double> y,
                        core::Workers& workers) {
    if (x.size() != y.size()) throw std::invalid_argument("rank_correlation: lengths differ");
    const Moments moments = moments_of(x, y, workers);
    return std::clamp(moments.xy / std::sqrt(moments.xx) / std::sqrt(moments.yy), -1.0, 1.0);
}

}  // namespace ventral::stats
