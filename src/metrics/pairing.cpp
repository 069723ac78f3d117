#include "metrics/pairing.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_map>

#include "core/errors.hpp"

namespace ventral::metrics {
namespace {

[[noreturn]] void fail(const std::string& id, const char* more, const char* fewer) {
    throw core::InputError(
        "the stimulus ids of the model's features and of the recordings differ (" +
        std::string("stimulus '") + id + "' occurs more often in the " + more + " than in the " +
        fewer + ") score recordings with the stimuli that they were recorded with");
}

}  // namespace

std::vector<std::size_t> pair_rows(const std::vector<std::string>& source_ids,
                                   const std::vector<std::string>& target_ids) {
    std::unordered_map<std::string, std::deque<std::size_t>> rows;
    for (std::size_t row = 0; row < source_ids.size(); ++row) rows[source_ids[row]].push_back(row);
    std::vector<std::size_t> pairs;
    pairs.reserve(target_ids.size());
    for (const auto& id : target_ids) {
        const auto found = rows.find(id);
        if (found == rows.end() || found->second.empty()) fail(id, "recordings", "features");
        pairs.push_back(found->second.front());
        found->second.pop_front();
    }
    for (const auto& id : source_ids)
        if (!rows[id].empty()) fail(id, "features", "recordings");
    return pairs;
}

std::vector<Eigen::Index> given_order(const std::vector<std::size_t>& rows) {
    std::vector<Eigen::Index> order(rows.size());
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
        return rows[static_cast<std::size_t>(a)] < rows[static_cast<std::size_t>(b)];
    });
    return order;
}

}  // namespace ventral::metrics
