#include "benchmarks/chosen_time_bins.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/group_means.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "core/time_bin.hpp"

namespace ventral::benchmarks {
namespace {

using Positions = std::vector<std::size_t>;

/// As in TOML.
std::string bin_text(const core::TimeBin& bin) {
    return "[" + core::number_text(bin.start_ms) + ", " + core::number_text(bin.end_ms) + "]";
}

Positions in_time(const core::TimeBins& bins, Positions positions) {
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return bins[a] < bins[b]; });
    return positions;
}

/// The bins that fill the wanted one without gaps, or none.
Positions filling(const core::TimeBin& wanted, const core::TimeBins& bins) {
    Positions within;
    for (std::size_t i = 0; i < bins.size(); ++i)
        if (bins[i].start_ms >= wanted.start_ms && bins[i].end_ms <= wanted.end_ms)
            within.push_back(i);
    within = in_time(bins, std::move(within));
    double end = wanted.start_ms;
    for (const auto position : within) {
        if (bins[position].start_ms != end) return {};
        end = bins[position].end_ms;
    }
    return end == wanted.end_ms ? within : Positions();
}

/// Where the wanted bin is, the first of several alike, or what it is to be averaged from.
Positions parts_of(const core::TimeBin& wanted, const core::TimeBins& bins) {
    const auto found = std::find(bins.begin(), bins.end(), wanted);
    if (found != bins.end()) return {static_cast<std::size_t>(found - bins.begin())};
    return filling(wanted, bins);
}

Positions all_of(const core::TimeBins& bins) {
    Positions all(bins.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

[[noreturn]] void fail_absent(const BenchmarkRecord& benchmark, const core::TimeBin& wanted,
                              const core::TimeBins& bins) {
    std::vector<std::string> known;
    for (const auto& bin : bins) known.push_back(bin_text(bin));
    throw core::InputError(benchmark.origin + ": time bin " + bin_text(wanted) + " of '" +
                           benchmark.identifier +
                           "' is not in the recordings, nor do finer ones fill it (they have " +
                           core::joined(known) + ")");
}

core::TimeBins in_time(core::TimeBins bins) {
    std::sort(bins.begin(), bins.end());
    return bins;
}

}  // namespace

std::optional<std::vector<std::size_t>> time_bins_to_read(const BenchmarkRecord& benchmark,
                                                          const core::Assembly& labels) {
    if (!core::has_dimension(labels, "time_bin"))
        throw core::InputError(benchmark.origin + ": '" + benchmark.identifier +
                               "' asks for time bins (the recordings have no dimension time_bin) "
                               "leave time_bins out, or take a metric without time");
    const auto bins = core::time_bins_of(labels);
    Positions positions;
    for (const auto& wanted : benchmark.time_bins) {
        const auto parts = parts_of(wanted, bins);
        if (parts.empty()) fail_absent(benchmark, wanted, bins);
        positions.insert(positions.end(), parts.begin(), parts.end());
    }
    if (benchmark.time_bins.empty()) positions = all_of(bins);
    positions = in_time(bins, std::move(positions));
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    if (positions == all_of(bins)) return std::nullopt;
    return positions;
}

core::Assembly with_time_bins_of(const BenchmarkRecord& benchmark, core::Assembly recordings) {
    if (benchmark.time_bins.empty()) return recordings;
    const auto bins = core::time_bins_of(recordings);
    const auto wanted = in_time(benchmark.time_bins);
    if (bins == wanted) return recordings;
    core::RowGroups groups{{}, {0}};
    std::vector<double> starts, ends;
    for (const auto& bin : wanted) {
        const auto parts = parts_of(bin, bins);
        groups.order.insert(groups.order.end(), parts.begin(), parts.end());
        groups.starts.push_back(groups.order.size());
        starts.push_back(bin.start_ms);
        ends.push_back(bin.end_ms);
    }
    recordings.values = core::group_means(recordings, "time_bin", groups);
    recordings.dims[core::dimension_index(recordings, "time_bin")].size = wanted.size();
    std::erase_if(recordings.coordinates, [](const auto& each) { return each.dim == "time_bin"; });
    recordings.coordinates.push_back({"time_bin_start", "time_bin", std::move(starts)});
    recordings.coordinates.push_back({"time_bin_end", "time_bin", std::move(ends)});
    return recordings;
}

}  // namespace ventral::benchmarks
