#include "leaderboard/model_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "leaderboard/parent_tree.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

struct Mean {
    double sum = 0;
    std::size_t count = 0;

    void add(double value) {
        sum += value;
        ++count;
    }
    std::optional<double> over(std::size_t members) const {
        return count ? std::optional(sum / static_cast<double>(members)) : std::nullopt;
    }
};

/// The committed ones, without those of an older version of a benchmark and without scores that
/// were computed again.
std::vector<const core::ScoreRecord*> that_count(const std::vector<core::ScoreRecord>& records) {
    std::map<std::string, int> newest;  // by benchmark
    for (const auto& record : records) {
        if (!record.committed) continue;
        auto& version = newest.try_emplace(record.benchmark, record.version).first->second;
        version = std::max(version, record.version);
    }
    const auto is_current = [&](const core::ScoreRecord& record) {
        return record.committed && record.version == newest.at(record.benchmark);
    };
    const auto latest = latest_of_each_name(
        records, [&](const auto& record) { return is_current(record) && is_done(record); });
    std::vector<const core::ScoreRecord*> counting;
    for (const auto& record : records)
        if (is_current(record) && (!is_done(record) || latest.at(score_name(record)) == &record))
            counting.push_back(&record);
    return counting;
}

using MeanOfModel = std::map<std::string, Mean>;

/// What is known of a node, by model.
struct NodeMeans {
    std::map<std::string, double> averages;     ///< of models that have one
    std::map<std::string, std::size_t> scored;  ///< on how many benchmarks, of all models there
    std::size_t benchmarks = 0;
};

/// `parts` are those of the parents in it.
NodeMeans means_of(const ParentNode& node, const std::vector<NodeMeans>& parts) {
    NodeMeans means;
    std::map<std::string, MeanOfModel> own;  // by benchmark
    for (const auto* record : node.records) {
        auto& of_benchmark = own[record->benchmark];
        means.scored.try_emplace(record->model);
        if (record->value && !std::isnan(*record->value))
            of_benchmark[record->model].add(*record->value);
    }
    means.benchmarks = own.size();
    MeanOfModel sums;
    for (const auto& [benchmark, models] : own)
        for (const auto& [model, mean] : models) {
            sums[model].add(*mean.over(mean.count));
            ++means.scored[model];
        }
    for (const auto& part : parts) {
        means.benchmarks += part.benchmarks;
        for (const auto& [model, average] : part.averages) sums[model].add(average);
        for (const auto& [model, scored] : part.scored) means.scored[model] += scored;
    }
    const std::size_t members = own.size() + parts.size();
    for (const auto& [model, sum] : sums) means.averages[model] = *sum.over(members);
    return means;
}

/// Of each of the parents in a node.
std::vector<NodeMeans> parts_of(const ParentNode& node) {
    std::vector<NodeMeans> parts;
    for (const auto& [name, child] : node.children)
        parts.push_back(means_of(child, parts_of(child)));
    return parts;
}

/// Below parents that alone hold all.
const ParentNode& topmost_choice(const ParentNode& root) {
    const auto* node = &root;
    while (node->records.empty() && node->children.size() == 1)
        node = &node->children.begin()->second;
    return *node;
}

std::optional<double> average_of(const NodeMeans& means, const std::string& model) {
    const auto found = means.averages.find(model);
    return found == means.averages.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

ModelRanking rank_models(const std::vector<core::ScoreRecord>& records) {
    const auto root = parent_tree(that_count(records));
    const auto& top = topmost_choice(root);
    const auto parts = parts_of(top);
    auto all = means_of(top, parts);
    for (const auto& record : records)
        if (record.committed) all.scored.try_emplace(record.model);
    ModelRanking ranking;
    ranking.benchmarks = all.benchmarks;
    for (const auto& [name, child] : top.children) ranking.parents.push_back(name);
    for (const auto& [model, scored] : all.scored) {
        auto& ranked = ranking.models.emplace_back();
        ranked.model = model;
        ranked.average = average_of(all, model);
        for (const auto& part : parts) ranked.means.push_back(average_of(part, model));
        ranked.missing = all.benchmarks - scored;
    }
    std::stable_sort(ranking.models.begin(), ranking.models.end(),
                     [](const auto& left, const auto& right) {
                         if (!left.average || !right.average)
                             return left.average.has_value() > right.average.has_value();
                         return *left.average > *right.average;
                     });
    return ranking;
}

}  // namespace ventral::leaderboard
