#include "benchmarks/chosen_time_bins.hpp"

#include <algorithm>
#include <cmath>
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

using BinPositions = std::vector<std::size_t>;

/// As in TOML.
std::string bin_text(const core::TimeBin& bin) {
    return "[" + core::number_text(bin.start_ms) + ", " + core::number_text(bin.end_ms) + "]";
}

BinPositions in_time(const core::TimeBins& bins, BinPositions positions) {
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return bins[a] < bins[b]; });
    return positions;
}

/// Edges that are computed differ in their last digits: to a nanosecond.
constexpr double slack_ms = 1e-6;

bool meet(double left_ms, double right_ms) { return std::abs(left_ms - right_ms) < slack_ms; }

double width(const core::TimeBin& bin) { return bin.end_ms - bin.start_ms; }

/// The bins of one width that fill the wanted one without gaps, or none.
BinPositions filling(const core::TimeBin& wanted, const core::TimeBins& bins) {
    BinPositions within;
    for (std::size_t i = 0; i < bins.size(); ++i)
        if (bins[i].start_ms > wanted.start_ms - slack_ms &&
            bins[i].end_ms < wanted.end_ms + slack_ms)
            within.push_back(i);
    within = in_time(bins, std::move(within));
    double end = wanted.start_ms;
    for (const auto position : within) {
        if (!meet(bins[position].start_ms, end) ||
            !meet(width(bins[position]), width(bins[within.front()])))
            return {};
        end = bins[position].end_ms;
    }
    return meet(end, wanted.end_ms) ? within : BinPositions();
}

/// Where the wanted bin is, the first of several alike, or what it is to be averaged from.
BinPositions parts_of(const core::TimeBin& wanted, const core::TimeBins& bins) {
    const auto found = std::find(bins.begin(), bins.end(), wanted);
    if (found != bins.end()) return {static_cast<std::size_t>(found - bins.begin())};
    return filling(wanted, bins);
}

BinPositions all_of(const core::TimeBins& bins) {
    BinPositions all(bins.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

[[noreturn]] void fail_absent(const BenchmarkRecord& benchmark, const core::TimeBin& wanted,
                              const core::TimeBins& bins) {
    constexpr std::size_t shown = 10;
    std::vector<std::string> known;
    for (const auto position : in_time(bins, all_of(bins)))
        known.push_back(bin_text(bins[position]));
    if (known.size() > shown) {
        known.erase(known.begin() + shown / 2, known.end() - shown / 2);
        known.insert(known.begin() + shown / 2, "…");
    }
    throw core::InputError(benchmark.origin + ": time bin " + bin_text(wanted) + " of '" +
                           benchmark.identifier +
                           "' is not in the recordings, nor do finer ones fill it (they have " +
                           core::joined(known) + ")");
}

/// In the order of time.
core::TimeBins wanted_bins(const BenchmarkRecord& benchmark) {
    auto bins = benchmark.time_bins;
    std::sort(bins.begin(), bins.end());
    return bins;
}

bool are_averaged(const BenchmarkRecord& benchmark, const core::TimeBins& bins) {
    return bins != wanted_bins(benchmark);
}

}  // namespace

std::optional<std::vector<std::size_t>> time_bins_to_read(const BenchmarkRecord& benchmark,
                                                          const core::Assembly& labels) {
    if (!core::has_dimension(labels, "time_bin"))
        throw core::InputError(benchmark.origin + ": '" + benchmark.identifier +
                               "' asks for time bins (the recordings have no dimension time_bin) "
                               "leave time_bins out, or take a metric without time");
    const auto bins = core::time_bins_of(labels);
    BinPositions positions;
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

std::size_t averaged_bytes(const BenchmarkRecord& benchmark, const core::Assembly& labels) {
    if (benchmark.time_bins.empty()) return 0;  // a single bin need not say when it was
    if (!are_averaged(benchmark, core::time_bins_of(labels))) return 0;
    std::size_t bytes = benchmark.time_bins.size() * sizeof(double);
    for (const auto& dim : labels.dims)
        if (dim.name != "time_bin") bytes *= dim.size;
    return bytes;
}

core::Assembly with_time_bins_of(const BenchmarkRecord& benchmark, core::Assembly recordings) {
    if (benchmark.time_bins.empty()) return recordings;
    const auto bins = core::time_bins_of(recordings);
    if (!are_averaged(benchmark, bins)) return recordings;
    const auto wanted = wanted_bins(benchmark);
    core::RowGroups groups{{}, {0}};
    for (const auto& bin : wanted) {
        const auto parts = parts_of(bin, bins);
        groups.order.insert(groups.order.end(), parts.begin(), parts.end());
        groups.starts.push_back(groups.order.size());
    }
    recordings.values = core::group_means(recordings, "time_bin", groups);
    recordings.dims[core::dimension_index(recordings, "time_bin")].size = wanted.size();
    std::erase_if(recordings.coordinates, [](const auto& each) { return each.dim == "time_bin"; });
    for (const auto& edges : core::time_coordinates(wanted))
        recordings.coordinates.push_back(edges);
    return recordings;
}

}  // namespace ventral::benchmarks
