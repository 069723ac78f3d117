#include "pipeline/simulation/simulate_job.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "core/ceil_divide.hpp"

namespace ventral::pipeline {
namespace {

/// When the last of `pieces` is done, each taken in turn by the first of `workers` that is free.
double in_turn(const std::vector<double>& pieces, std::size_t workers) {
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    for (std::size_t worker = 0; worker < std::min(workers, pieces.size()); ++worker) free.push(0);
    double end = 0;
    for (const double piece : pieces) {
        const double done = free.top() + piece;
        free.pop();
        free.push(done);
        end = std::max(end, done);
    }
    return end;
}

/// The factor for so many workers.
double factor(double measured, const Slowdown& slowdown, std::size_t workers) {
    if (slowdown.workers < 2 || measured < 1) return 1;
    return 1 + (measured - 1) * static_cast<double>(workers - 1) /
                   static_cast<double>(slowdown.workers - 1);
}

UnitStages slowed(UnitStages unit, const Slowdown& slowdown, std::size_t workers) {
    unit.extract *= factor(slowdown.extract, slowdown, workers);
    unit.gram *= factor(slowdown.gram, slowdown, workers);
    for (auto& group : unit.fold_groups) group *= factor(slowdown.fit, slowdown, workers);
    return unit;
}

double seconds_of(const UnitStages& unit, std::size_t workers) {
    const auto count = static_cast<double>(workers);
    double extract = unit.extract / count;
    if (unit.batches > 0) {
        const std::size_t rounds = core::ceil_divide(unit.batches, workers);
        extract = unit.extract * static_cast<double>(rounds) / static_cast<double>(unit.batches);
    }
    return extract + unit.gram / count + in_turn(unit.fold_groups, workers) + unit.serial;
}

}  // namespace

double sum_of(const UnitStages& unit) {
    return std::accumulate(unit.fold_groups.begin(), unit.fold_groups.end(),
                           unit.extract + unit.gram + unit.serial);
}

JobOutcome simulate_job(const std::vector<UnitStages>& units, const JobShape& shape) {
    const std::size_t workers = shape.ranks * shape.threads;
    auto longest_first = units;
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [](const auto& a, const auto& b) { return sum_of(a) > sum_of(b); });
    std::vector<double> seconds;
    double work = std::accumulate(shape.ceilings.begin(), shape.ceilings.end(), 0.0);
    for (const auto& unit : longest_first) {
        seconds.push_back(seconds_of(slowed(unit, shape.slowdown, workers), workers));
        work += sum_of(unit);
    }
    const double span =
        in_turn(shape.ceilings, shape.ranks * shape.teams) + in_turn(seconds, shape.teams);
    JobOutcome outcome;
    outcome.seconds = shape.start_seconds + span;
    if (span > 0)
        outcome.idle_share =
            std::max(0.0, 1 - work / (span * static_cast<double>(workers * shape.teams)));
    return outcome;
}

}  // namespace ventral::pipeline
