#include "pipeline/fit/score_table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "stats/folds/folds.hpp"

namespace ventral::pipeline {
namespace {

const std::vector<std::string>& routes() {
    static const std::vector<std::string> names = {metrics::gram_route, metrics::features_route,
                                                   metrics::both_routes};
    return names;
}

/// One beyond them of a name that is none.
std::uint64_t route_code(const std::string& name) {
    const auto found = std::find(routes().begin(), routes().end(), name);
    return static_cast<std::uint64_t>(found - routes().begin());
}

}  // namespace

bool is_lossy(const std::string& route, double guard) {
    return route == metrics::gram_route && !(guard <= stats::guard_limit);
}

ScoreTable::ScoreTable(const FitTask& task)
    : plan_(*task.plan),
      metric_(*task.metric),
      first_group_(task.first_group()),
      cells_(plan_.folds.size() * plan_.columns()),
      words_(cells_ + plan_.groups() * per_group) {}

bool ScoreTable::fits(const FoldGroupResult& result) const {
    const auto [first, last] = plan_.group_range(result.group - first_group_);
    return result.r.size() == (last - first) * plan_.columns() &&
           route_code(result.route) < routes().size();
}

void ScoreTable::fill(const FoldGroupResult& result) {
    const std::size_t group = result.group - first_group_;
    const auto [first, last] = plan_.group_range(group);
    if (!fits(result))
        throw std::logic_error(
            "fold group " + std::to_string(group) + " of the score " + result.key +
            " does not fit its table (" + std::to_string(result.r.size()) + " values for " +
            std::to_string(last - first) + " folds of " + std::to_string(plan_.columns()) +
            ", by route '" + result.route + "')");
    for (std::size_t i = 0; i < result.r.size(); ++i)
        words_[first * plan_.columns() + i] = std::bit_cast<std::uint64_t>(result.r[i]);
    std::uint64_t* about = words_.data() + cells_ + group * per_group;
    about[filled] = 1;
    std::size_t word = first_margin;
    for (const auto& each : core::named_margins)
        about[word++] = std::bit_cast<std::uint64_t>(result.margins.*each.margin);
    about[seconds] = std::bit_cast<std::uint64_t>(result.seconds);
    about[rank] = result.rank;
    about[route] = route_code(result.route);
}

bool ScoreTable::is_complete() const {
    for (std::size_t g = 0; g < plan_.groups(); ++g)
        if (word(g, filled) != 1) return false;
    return true;
}

FitOutcome ScoreTable::outcome() const {
    std::vector<double> table(cells_);
    for (std::size_t i = 0; i < cells_; ++i) table[i] = std::bit_cast<double>(words_[i]);
    FitOutcome outcome;
    core::Margins margins;
    std::string route_text;
    for (std::size_t g = 0; g < plan_.groups(); ++g) {
        metrics::merge_margins(margins, margins_of(g));
        metrics::merge_route(route_text, routes()[word(g, route)]);
        outcome.seconds += number(g, seconds);
        outcome.needs_features =
            outcome.needs_features || is_lossy(routes()[word(g, route)], margins_of(g).guard);
        const auto [first, last] = plan_.group_range(g);
        outcome.folds_by_rank[word(g, rank)] += last - first;
    }
    outcome.score = metrics::score_of_fits(plan_, metric_, table, margins, route_text);
    return outcome;
}

core::Margins ScoreTable::margins_of(std::size_t group) const {
    core::Margins margins;
    std::size_t word = first_margin;
    for (const auto& each : core::named_margins) margins.*each.margin = number(group, word++);
    return margins;
}

double ScoreTable::number(std::size_t group, std::size_t which) const {
    return std::bit_cast<double>(word(group, which));
}

}  // namespace ventral::pipeline
