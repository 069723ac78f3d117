#include "pipeline/fit/join_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

#include "core/assembly.hpp"
#include "metrics/regression_fit.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::pipeline {
namespace {

/// The table that the whole plan's one fit would give: folds × bins × neuroids.
std::vector<double> joined_table(const metrics::RegressionPlan& whole,
                                 const std::vector<FitOutcome>& parts) {
    std::vector<double> table(whole.folds.size() * whole.columns());
    for (std::size_t bin = 0; bin < parts.size(); ++bin) {
        const auto raw = core::as_float64(std::get<core::Score>(parts[bin].score).raw.values);
        for (std::size_t fold = 0; fold < whole.folds.size(); ++fold)
            std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(fold * whole.neuroids()),
                        whole.neuroids(),
                        table.begin() + static_cast<std::ptrdiff_t>(fold * whole.columns() +
                                                                    bin * whole.neuroids()));
    }
    return table;
}

}  // namespace

FitOutcome join_parts(const FitTask& whole, const std::vector<FitOutcome>& parts) {
    FitOutcome joined;
    core::Margins margins;
    std::string route;
    for (const auto& part : parts) {
        if (const auto* failure = std::get_if<core::Failure>(&part.score)) {
            joined.score = *failure;
            return joined;
        }
        const auto& score = std::get<core::Score>(part.score);
        metrics::merge_margins(margins, score.margins);
        metrics::merge_route(route, score.route);
        joined.seconds += part.seconds;
        for (const auto& [rank, folds] : part.folds_by_rank) joined.folds_by_rank[rank] += folds;
    }
    joined.score = metrics::score_of_fits(*whole.plan, *whole.metric,
                                          joined_table(*whole.plan, parts), margins, route);
    return joined;
}

}  // namespace ventral::pipeline
