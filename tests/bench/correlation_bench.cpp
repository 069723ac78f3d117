#include <benchmark/benchmark.h>

#include "problems.hpp"
#include "stats/similarity/correlation.hpp"

namespace {

using namespace ventral;

void pearson_columns(benchmark::State& state) {
    const auto problem = bench::regression_problem(state.range(0), 1, 2 * state.range(1));
    const stats::Matrix one = problem.targets.leftCols(state.range(1));
    const stats::Matrix other = problem.targets.rightCols(state.range(1));
    for (auto _ : state) benchmark::DoNotOptimize(stats::pearson_columns(one, other).data());
}

BENCHMARK(pearson_columns)
    ->ArgNames({"n", "m"})
    ->Args({256, 168})
    ->Args({2560, 2000})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
