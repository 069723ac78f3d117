#include <benchmark/benchmark.h>
#include <cblas.h>

#include "dgemm_peer.hpp"
#include "problems.hpp"
#include "stats/gram/centred_features.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/gram_block.hpp"
#include "stats/gram/reduced_features.hpp"

namespace {

using namespace ventral;
using benchmark::Counter;

std::size_t range(const benchmark::State& state, int position) {
    return static_cast<std::size_t>(state.range(position));
}

/// Features in memory and what reads slabs of them.
struct Source {
    Source(std::size_t rows, std::size_t features, double zeros = bench::usual_zeros)
        : values(bench::float_features(rows, features, zeros)),
          matrix{std::span<const float>(values), rows, features, features} {}

    stats::ReadSlab reader() const {
        return [this](std::size_t first, std::size_t count) {
            return stats::columns_of(matrix, first, count);
        };
    }

    std::vector<float> values;
    stats::FeatureMatrix matrix;
};

/// `of_dgemm` is the share of the rate of plain DGEMM on the same workers, measured just before.
void count_flops(benchmark::State& state, double flops, double peer) {
    state.counters["GFLOP/s"] = Counter(flops / 1e9, Counter::kIsIterationInvariantRate);
    state.counters["of_dgemm"] = Counter(flops / peer, Counter::kIsIterationInvariantRate);
}

void dgemm_peer(benchmark::State& state) {
    core::Workers workers(range(state, 0));
    double rate = 0;
    for (auto _ : state) rate = bench::best_dgemm_rate(workers);
    state.counters["GFLOP/s"] = rate / 1e9;
}

/// Everything that the program does for a Gram: memory, conversion, centring, products. The rate
/// counts products with zeros too.
void time_gram(benchmark::State& state, double zeros) {
    const auto rows = range(state, 0);
    const auto features = range(state, 1);
    core::Workers workers(range(state, 2));
    const Source source(rows, features, zeros);
    const auto build = [&] {
        const stats::GramBlock block(rows, features);
        stats::build_gram({rows, features, source.reader()}, block.memory(), workers, {});
        benchmark::DoNotOptimize(block.memory().kernel.data());
    };
    build();  // memory that a virtual machine's host has not given yet is ten times as slow
    const double peer = bench::best_dgemm_rate(workers);
    for (auto _ : state) build();
    const auto n = static_cast<double>(rows);
    count_flops(state, n * (n + 1) * static_cast<double>(features), peer);
}

void gram(benchmark::State& state) { time_gram(state, bench::usual_zeros); }

/// Of rectified units, of which so many per cent are zero.
void rectified_gram(benchmark::State& state) {
    time_gram(state, static_cast<double>(state.range(3)) / 100);
}

void reduced_features(benchmark::State& state) {
    const auto rows = range(state, 0);
    const auto features = range(state, 1);
    core::Workers workers(range(state, 2));
    const Source source(rows, features);
    for (auto _ : state)
        benchmark::DoNotOptimize(
            stats::reduce_features({rows, features, source.reader()}, workers).data());
}

BENCHMARK(dgemm_peer)->Arg(1)->Arg(2)->ArgName("workers")->UseRealTime()->Iterations(1);
BENCHMARK(gram)
    ->ArgNames({"n", "p", "workers"})
    ->Args({600, 9216, 2})
    ->Args({600, 64896, 1})
    ->Args({600, 64896, 2})
    ->Args({2560, 9216, 1})
    ->Args({2560, 9216, 2})
    ->Args({2560, 64896, 2})
    ->MinTime(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(rectified_gram)
    ->ArgNames({"n", "p", "workers", "zeros"})
    ->ArgsProduct({{600}, {64896}, {1, 2}, {50, 60, 70, 80, 90}})
    ->Args({2560, 64896, 2, 60})
    ->Args({2560, 64896, 2, 80})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(reduced_features)
    ->ArgNames({"n", "p", "workers"})
    ->Args({600, 9216, 2})
    ->Args({2560, 9216, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
