#include <numeric>

#include <benchmark/benchmark.h>

#include "problems.hpp"
#include "stats/pls/pls.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/regression/ridge_cv.hpp"
#include "stats/regression/ridge_folds.hpp"
#include "stats/regression/ridge_spectrum.hpp"

namespace {

using namespace ventral;

/// Every tenth row from `first` on is a test row.
stats::FoldRows fold(Eigen::Index rows, Eigen::Index first) {
    stats::FoldRows fold;
    for (Eigen::Index row = 0; row < rows; ++row)
        (row % 10 == first ? fold.test : fold.train).push_back(row);
    return fold;
}

std::vector<stats::FoldRows> folds(Eigen::Index rows, Eigen::Index count) {
    std::vector<stats::FoldRows> all;
    for (Eigen::Index f = 0; f < count; ++f) all.push_back(fold(rows, f));
    return all;
}

stats::Problem view(const bench::RegressionProblem& problem) {
    const auto rows = problem.kernel.rows();
    return {stats::MatrixView(problem.kernel.data(), rows, rows), problem.targets,
            static_cast<std::size_t>(problem.features.cols())};
}

void pls_of_ten_folds(benchmark::State& state) {
    const auto problem =
        bench::regression_problem(state.range(0), 2 * state.range(0), state.range(1));
    core::Workers workers(static_cast<std::size_t>(state.range(2)));
    const auto rows = folds(state.range(0), 10);
    for (auto _ : state)
        benchmark::DoNotOptimize(stats::pls_predict(view(problem), rows, 25, workers).data());
}

void ridge_of_a_fold(benchmark::State& state) {
    const auto problem =
        bench::regression_problem(state.range(0), 2 * state.range(0), state.range(1));
    core::Workers alone(1);
    const auto rows = fold(state.range(0), 0);
    for (auto _ : state)
        benchmark::DoNotOptimize(stats::ridge_predict(view(problem), rows, 1.0, alone).data());
}

void ridge_of_ten_folds(benchmark::State& state) {
    const auto problem =
        bench::regression_problem(state.range(0), 2 * state.range(0), state.range(1));
    core::Workers workers(static_cast<std::size_t>(state.range(2)));
    const auto rows = folds(state.range(0), 10);
    for (auto _ : state) {
        const stats::RidgeSystem system(view(problem), rows, 1.0, workers);
        benchmark::DoNotOptimize(system.predict(rows, workers).data());
    }
}

void ridge_cv_of_a_fold(benchmark::State& state) {
    const auto problem =
        bench::regression_problem(state.range(0), 2 * state.range(0), state.range(1));
    core::Workers workers(static_cast<std::size_t>(state.range(2)));
    const auto rows = fold(state.range(0), 0);
    for (auto _ : state)
        benchmark::DoNotOptimize(
            stats::ridge_cv_predict(view(problem), rows, stats::alpha_list(), workers).alpha);
}

/// The part of it that other alphas have in common.
void ridge_spectrum(benchmark::State& state) {
    const auto problem = bench::regression_problem(state.range(0), 2 * state.range(0), 1);
    core::Workers workers(static_cast<std::size_t>(state.range(1)));
    for (auto _ : state)
        benchmark::DoNotOptimize(stats::spectrum_of_kernel(problem.kernel, workers).constant);
}

void with_workers(benchmark::internal::Benchmark* each) {
    each->ArgNames({"n", "m", "workers"})
        ->Args({600, 168, 2})
        ->Args({2560, 168, 1})
        ->Args({2560, 168, 2})
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

BENCHMARK(pls_of_ten_folds)->Apply(with_workers);
BENCHMARK(ridge_of_ten_folds)->Apply(with_workers);
BENCHMARK(ridge_cv_of_a_fold)->Apply(with_workers);
BENCHMARK(ridge_spectrum)
    ->ArgNames({"n", "workers"})
    ->Args({600, 2})
    ->Args({2560, 1})
    ->Args({2560, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ridge_of_a_fold)
    ->ArgNames({"n", "m"})
    ->Args({600, 168})
    ->Args({2560, 168})
    ->Unit(benchmark::kMillisecond);

}  // namespace
