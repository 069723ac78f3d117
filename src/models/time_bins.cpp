#include "models/time_bins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::models {
namespace {

void check_order(const core::TimeBins& bins) {
    for (const auto& bin : bins)
        if (!(bin.start_ms <= bin.end_ms))
            throw core::InputError("time bin " + core::name_of(bin) + ": ends before it begins");
}

double covered_share(const core::TimeBin& source, const core::TimeBin& target) {
    const double overlap =
        std::min(source.end_ms, target.end_ms) - std::max(source.start_ms, target.start_ms);
    return std::max(overlap, 0.0) / (source.end_ms - source.start_ms);
}

bool holds_middle(const core::TimeBin& source, const core::TimeBin& target) {
    const double middle = (target.start_ms + target.end_ms) / 2;
    return middle >= source.start_ms && middle < source.end_ms;
}

bool is_within(const core::TimeBin& target, const core::TimeBins& source) {
    const auto first = std::min_element(source.begin(), source.end(),
                                        [](auto& a, auto& b) { return a.start_ms < b.start_ms; });
    const auto last = std::max_element(source.begin(), source.end(),
                                       [](auto& a, auto& b) { return a.end_ms < b.end_ms; });
    return target.start_ms >= first->start_ms && target.end_ms <= last->end_ms;
}

core::Values whole_if_they_are(const std::vector<double>& edges) {
    const bool whole = std::all_of(edges.begin(), edges.end(), [](double edge) {
        return edge == std::trunc(edge) && std::abs(edge) < 1e15;
    });
    if (whole) return std::vector<std::int64_t>(edges.begin(), edges.end());
    return edges;
}

/// `rows` with a last dimension of these bins; the values are the caller's.
core::Assembly with_time_bins(const core::Assembly& rows, const core::TimeBins& bins) {
    core::Assembly result{rows.name, rows.dims, {}, {}, rows.attributes};
    result.dims.push_back({"time_bin", bins.size()});
    for (const auto& labels : rows.coordinates)
        if (labels.dim != "time_bin") result.coordinates.push_back(labels);
    for (const auto& [name, dim, edges] : core::time_coordinates(bins))
        result.coordinates.push_back(
            {name, dim, whole_if_they_are(std::get<std::vector<double>>(edges))});
    return result;
}

core::Assembly time_bins_last(const core::Assembly& assembly) {
    std::vector<std::string> dims;
    for (const auto& dim : assembly.dims)
        if (dim.name != "time_bin") dims.push_back(dim.name);
    dims.emplace_back("time_bin");
    return core::transpose(assembly, dims);
}

template <typename T>
T weighted_mean(const T* values, const std::vector<double>& weights) {
    double total = 0;
    double weight = 0;
    for (std::size_t bin = 0; bin < weights.size(); ++bin) {
        if (weights[bin] <= 0) continue;
        total += static_cast<double>(values[bin]) * weights[bin];
        weight += weights[bin];
    }
    return static_cast<T>(total / weight);
}

core::Values averaged(const core::Values& values, const std::vector<std::vector<double>>& weights) {
    return std::visit(
        [&](const auto& entries) -> core::Values {
            std::decay_t<decltype(entries)> means;
            if constexpr (std::is_arithmetic_v<
                              typename std::decay_t<decltype(entries)>::value_type>) {
                const auto bins = weights.front().size();
                for (std::size_t row = 0; row < entries.size(); row += bins)
                    for (const auto& of_target : weights)
                        means.push_back(weighted_mean(entries.data() + row, of_target));
            } else {
                throw core::InputError("time bins of text cannot be averaged");
            }
            return means;
        },
        values);
}

core::Assembly repeated(const core::Assembly& responses, const core::TimeBins& bins) {
    auto result = with_time_bins(responses, bins);
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < core::value_count(responses.values); ++i)
        positions.insert(positions.end(), bins.size(), i);
    result.values = core::take(responses.values, positions);
    return result;
}

}  // namespace

std::vector<std::vector<double>> time_bin_weights(const core::TimeBins& source,
                                                  const core::TimeBins& target,
                                                  TimeAlignment alignment) {
    check_order(source);
    check_order(target);
    std::vector<std::vector<double>> weights;
    for (const auto& wanted : target) {
        auto& of_target = weights.emplace_back(source.size(), 0.0);
        if (alignment == TimeAlignment::portion && !is_within(wanted, source)) continue;
        for (std::size_t i = 0; i < source.size(); ++i) {
            if (alignment == TimeAlignment::center)
                of_target[i] = holds_middle(source[i], wanted) ? 1 : 0;
            else if (source[i].end_ms > source[i].start_ms)
                of_target[i] = covered_share(source[i], wanted);
            else
                throw core::InputError("time bin " + core::name_of(source[i]) + ": is empty");
        }
    }
    return weights;
}

std::vector<std::vector<double>> covering_weights(const std::string& name,
                                                  const core::TimeBins& source,
                                                  const core::TimeBins& target,
                                                  TimeAlignment alignment) {
    if (source.empty() || target.empty())
        throw core::InputError(name + ": there is no time bin to align");
    auto weights = time_bin_weights(source, target, alignment);
    for (std::size_t i = 0; i < target.size(); ++i)
        if (std::accumulate(weights[i].begin(), weights[i].end(), 0.0) == 0)
            throw core::InputError(name + ": has nothing for the time bin " +
                                   core::name_of(target[i]) + " (its bins go from " +
                                   core::number_text(source.front().start_ms) + " to " +
                                   core::number_text(source.back().end_ms) + " ms)");
    return weights;
}

core::Assembly align_time_bins(const core::Assembly& source, const core::TimeBins& target,
                               TimeAlignment alignment) {
    const auto ordered = time_bins_last(source);
    const auto weights =
        covering_weights(source.name, core::time_bins_of(ordered), target, alignment);
    auto rows = ordered;
    rows.dims.pop_back();
    auto result = with_time_bins(rows, target);
    result.values = averaged(ordered.values, weights);
    return result;
}

core::Assembly in_time_bins(const core::Assembly& responses, core::TimeBins bins) {
    if (bins.empty()) throw core::InputError("time_bins: there are none");
    check_order(bins);
    const bool timed = core::has_dimension(responses, "time_bin");
    if (!timed) {
        std::sort(bins.begin(), bins.end(), [](const core::TimeBin& a, const core::TimeBin& b) {
            return std::pair(a.start_ms, a.end_ms) < std::pair(b.start_ms, b.end_ms);
        });
        if (bins.size() == 1) return responses;
    }
    const auto result = timed ? align_time_bins(responses, bins) : repeated(responses, bins);
    return bins.size() == 1 ? core::squeeze(result, "time_bin") : result;
}

}  // namespace ventral::models
