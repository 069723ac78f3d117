#include "pipeline/plan/shards.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::pipeline {

std::vector<double> with_guesses(std::vector<double> costs) {
    const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
    const auto unknown = std::count(costs.begin(), costs.end(), 0.0);
    const auto known = static_cast<std::ptrdiff_t>(costs.size()) - unknown;
    std::replace(costs.begin(), costs.end(), 0.0,
                 known > 0 ? sum / static_cast<double>(known) : 1.0);
    return costs;
}

Shard parse_shard(const std::string& text) {
    const auto slash = text.find('/');
    const auto index = core::parse_integer(text.substr(0, slash));
    const auto count =
        slash == std::string::npos ? std::nullopt : core::parse_integer(text.substr(slash + 1));
    if (!index || !count || *count < 1 || *index < 0 || *index >= *count)
        throw core::InputError("--shard: '" + text +
                               "' is not a part of the work (give i/n with i from 0 to n - 1)");
    return {static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)};
}

std::vector<std::size_t> deal_shards(std::vector<double> costs, std::size_t count) {
    costs = with_guesses(std::move(costs));
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return costs[a] > costs[b]; });
    // Shards beyond the number of pieces stay empty; someone may ask for very many.
    const std::size_t used = std::min(count, costs.size());
    using Load = std::pair<double, std::size_t>;  // and the shard's number
    std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
    for (std::size_t shard = 0; shard < used; ++shard) least.emplace(0.0, shard);
    std::vector<std::size_t> shards(costs.size());
    for (const auto piece : order) {
        const auto [load, shard] = least.top();
        least.pop();
        shards[piece] = shard;
        least.emplace(load + costs[piece], shard);
    }
    return shards;
}

std::size_t hashed_shard(const std::string& key, std::size_t count) {
    return std::stoull(key.substr(0, 15), nullptr, 16) % count;
}

}  // namespace ventral::pipeline
