#include "benchmarks/chosen_time_bins.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "benchmarks/neural.hpp"

using namespace ventral;
using benchmarks::BenchmarkRecord;
using core::TimeBins;

namespace {

/// Two presentations of a neuroid in bins of 10 ms, not in the order of time; the value is
/// 100 presentation + the bin's start.
core::Assembly recordings() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 1}, {"time_bin", 5}};
    assembly.values = std::vector<float>{20, 0, 10, 30, 40, 120, 100, 110, 130, 140};
    assembly.coordinates = {
        {"stimulus_id", "presentation", std::vector<std::string>{"a", "b"}},
        {"neuroid_id", "neuroid", std::vector<std::string>{"n"}},
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{20, 0, 10, 30, 40}},
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{30, 10, 20, 40, 50}},
        {"time_bin_label", "time_bin", std::vector<std::string>{"c", "a", "b", "d", "e"}}};
    return assembly;
}

BenchmarkRecord benchmark(const TimeBins& bins) {
    BenchmarkRecord record;
    record.identifier = "V1-pls";
    record.origin = "v1.toml";
    record.metric.name = bins.size() == 1 ? "pls" : "spantime_pls";
    record.time_bins = bins;
    return record;
}

}  // namespace

TEST_CASE("a time bin that finer ones fill is their mean, in float64") {
    const auto record = benchmark({{10, 40}});
    const auto part = benchmarks::part_of_benchmark(record, recordings(), nullptr);
    CHECK(core::time_bins_of(part) == record.time_bins);
    CHECK(std::get<std::vector<double>>(part.values) == std::vector<double>{20, 120});
    CHECK(core::find_coordinate(part, "time_bin_label") == nullptr);
    CHECK_NOTHROW(core::check_consistent(part));
}

TEST_CASE("of finer time bins only those are read that fill the wanted ones") {
    const auto record = benchmark({{10, 40}, {0, 20}});
    const auto positions = benchmarks::time_bins_to_read(record, recordings());
    CHECK(positions == std::vector<std::size_t>{1, 2, 0, 3});
    const auto read = core::take(recordings(), "time_bin", positions.value());
    CHECK_FALSE(benchmarks::time_bins_to_read(record, read));
    const auto part = benchmarks::part_of_benchmark(record, read, nullptr);
    CHECK(core::time_bins_of(part) == TimeBins{{0, 20}, {10, 40}});
    CHECK(std::get<std::vector<double>>(part.values) == std::vector<double>{5, 20, 105, 120});
}

TEST_CASE("what is NaN in a finer time bin does not count, unless all of them are") {
    constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
    auto some = recordings();
    some.values = std::vector<float>{nan, 0, 10, 30, 40, nan, 100, nan, nan, 140};
    const auto part = benchmarks::part_of_benchmark(benchmark({{10, 40}}), some, nullptr);
    const auto& values = std::get<std::vector<double>>(part.values);
    CHECK(values[0] == 20);  // of 10 and 30
    CHECK(std::isnan(values[1]));
}

TEST_CASE("finer time bins with gaps, or that overlap, fill none") {
    const auto refused = [](const core::Assembly& from, const core::TimeBin& wanted) {
        CHECK_THROWS_WITH(
            benchmarks::part_of_benchmark(benchmark({wanted}), from, nullptr),
            Catch::StartsWith("v1.toml: time bin [") && Catch::Contains("nor do finer ones fill"));
    };
    refused(recordings(), {0, 60});
    refused(recordings(), {5, 40});
    refused(recordings(), {12, 18});
    refused(core::take(recordings(), "time_bin", {0, 1, 3}), {0, 40});
    refused(core::take(recordings(), "time_bin", {0, 1, 2, 2}), {0, 30});
    auto uneven = core::take(recordings(), "time_bin", {1, 2});
    uneven.coordinates[3].values = std::vector<std::int64_t>{10, 40};
    refused(uneven, {0, 40});
}

TEST_CASE("edges of finer time bins may be off by what computing them takes") {
    auto computed = recordings();
    std::vector<double> starts, ends;
    for (const int bin : {2, 0, 1, 3, 4}) {
        starts.push_back(bin * 0.01 * 1000);
        ends.push_back((bin + 1) * 0.01 * 1000);
    }
    computed.coordinates[2].values = starts;
    computed.coordinates[3].values = ends;
    const auto part = benchmarks::part_of_benchmark(benchmark({{0, 30}}), computed, nullptr);
    CHECK(std::get<std::vector<double>>(part.values) == std::vector<double>{10, 110});
}

TEST_CASE("of many time bins the first and the last are named") {
    auto many = core::take(recordings(), "time_bin", std::vector<std::size_t>(20, 0));
    std::vector<std::int64_t> starts, ends;
    for (std::int64_t bin = 0; bin < 20; ++bin) {
        starts.push_back(bin);
        ends.push_back(bin + 1);
    }
    many.coordinates[2].values = starts;
    many.coordinates[3].values = ends;
    CHECK_THROWS_WITH(
        benchmarks::part_of_benchmark(benchmark({{10, 30}}), many, nullptr),
        Catch::EndsWith("(they have [0, 1], [1, 2], [2, 3], [3, 4], [4, 5], …, [15, 16], "
                        "[16, 17], [17, 18], [18, 19], [19, 20])"));
}

TEST_CASE("averages of time bins take memory beside what they are made of") {
    const auto labels = recordings();
    CHECK(benchmarks::averaged_bytes(benchmark({{10, 40}}), labels) == 2 * 8);
    CHECK(benchmarks::averaged_bytes(benchmark({{10, 40}, {0, 20}}), labels) == 2 * 2 * 8);
    const auto one = core::take(labels, "time_bin", {2});
    CHECK(benchmarks::averaged_bytes(benchmark({{10, 20}}), one) == 0);
}

TEST_CASE("a time bin that is there is taken as it is") {
    auto more = core::take(recordings(), "time_bin", {0, 1, 2});
    more.coordinates[2].values = std::vector<std::int64_t>{0, 0, 10};
    more.coordinates[3].values = std::vector<std::int64_t>{20, 10, 20};
    const auto part = benchmarks::part_of_benchmark(benchmark({{0, 20}}), more, nullptr);
    CHECK(std::get<std::vector<float>>(part.values) == std::vector<float>{20, 120});
    CHECK(core::find_coordinate(part, "time_bin_label") != nullptr);
}
