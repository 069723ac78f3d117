#include "pipeline/outlook/ceiling_memory.hpp"

#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "support/small_data.hpp"
#include "support/small_run.hpp"

using namespace ventral;
using pipeline::estimate_ceilings;
using pipeline::NodeSize;
using pipeline::PlannedCeiling;
using test::SmallData;

namespace {

constexpr double rows = test::small_stimuli * test::small_repetitions;

}  // namespace

TEST_CASE("a ceiling needs its presentations, what is known of each, and a strip a worker") {
    const SmallData small;
    const auto bytes = [&](std::size_t threads) {
        return estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, threads}).memory_bytes;
    };
    // Values in double, with labels; 128 bytes of each presentation, and sixteen doubles.
    CHECK(bytes(1) > rows * (test::small_neuroids * 8 + 128 + 128));
    CHECK(bytes(1) < rows * (test::small_neuroids * 8 + 128 + 128 + 100));
    CHECK(bytes(3) == bytes(1) + 2 * rows * 128);
}

TEST_CASE("each rank computes another ceiling, as long as there are so many") {
    const SmallData small;
    const auto bytes = [&](const std::vector<PlannedCeiling>& compute) {
        return estimate_ceilings(small.run, compute, {1e9, 2, 1}).memory_bytes;
    };
    CHECK(bytes({}) == 0);
    CHECK(bytes({{0, "a"}, {1, "b"}}) == 2 * bytes({{0, "a"}}));
    CHECK(bytes({{0, "a"}, {1, "b"}, {1, "c"}}) == 2 * bytes({{0, "a"}}));
}

TEST_CASE("a ceiling of too few repetitions is a problem before the run") {
    const SmallData small;
    CHECK(estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}).failing.empty());
    std::vector<std::size_t> first(test::small_stimuli);
    std::iota(first.begin(), first.end(), std::size_t{0});
    io::write_assembly(small.folder.file("recordings.nc"),
                       core::take(test::small_recordings(), "presentation", first));
    const auto failing = estimate_ceilings(small.run, {{1, "key"}}, {1e9, 1, 1}).failing;
    REQUIRE(failing.size() == 1);
    CHECK(failing[0].key == "key");
    CHECK_THAT(failing[0].text,
               Catch::Contains(small.run.benchmarks[1].identifier) && Catch::Contains("has 1)"));
}

TEST_CASE("a dataset without repetitions has no ceiling") {
    SmallData small;
    auto& assemblies = small.run.datasets.at("small").assemblies;
    assemblies["target"] = assemblies.at("repetitions");
    assemblies.erase("repetitions");
    const auto failing = estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}).failing;
    REQUIRE(failing.size() == 1);
    CHECK_THAT(failing[0].text, Catch::Contains("dataset 'small' has no repetitions"));
}

TEST_CASE("repetitions that a benchmark does not select are none of its") {
    SmallData small;
    auto& benchmark = small.run.benchmarks[0];
    benchmark.select = {{"neuroid_id", {"n0", "n1"}, {}, {}}};
    CHECK(estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}).failing.empty());
    benchmark.select.push_back({"repetition", {"0"}, {}, {}});
    const auto failing = estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}).failing;
    REQUIRE(failing.size() == 1);
    CHECK_THAT(failing[0].text, Catch::Contains("has 1)"));
}

TEST_CASE(
    "a stimulus that half of the repetitions lack is foreseen, unless it may not be selected") {
    SmallData small;
    // Presentation 40 r + s is repetition r of stimulus s: of stimulus 7 one is left.
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < test::small_stimuli * test::small_repetitions; ++row)
        if (row % test::small_stimuli != 7 || row < test::small_stimuli) rows.push_back(row);
    const auto few = core::take(test::small_recordings(), "presentation", rows);
    io::write_assembly(small.folder.file("recordings.nc"), few);
    const auto failing = estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}).failing;
    REQUIRE(failing.size() == 1);
    CHECK_THAT(failing[0].text,
               Catch::Contains("stimulus 's") && Catch::Contains("has no repetition in one half"));
    small.run.benchmarks[0].select = {{"a_column_of_the_stimuli", {"x"}, {}, {}}};
    CHECK(estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}).failing.empty());
}

TEST_CASE("a stimulus that dropna leaves too few repetitions of is foreseen") {
    SmallData small;
    auto gaps = test::small_recordings();
    auto& values = std::get<std::vector<double>>(gaps.values);
    for (std::size_t repetition = 1; repetition < test::small_repetitions; ++repetition)
        values[(repetition * test::small_stimuli + 7) * test::small_neuroids] = std::nan("");
    io::write_assembly(small.folder.file("recordings.nc"), gaps);
    const auto estimate = [&] { return estimate_ceilings(small.run, {{0, "key"}}, {1e9, 1, 1}); };
    CHECK(estimate().failing.empty());
    const double bytes = estimate().memory_bytes;
    small.run.benchmarks[0].dropna = "presentation";
    const auto failing = estimate().failing;
    REQUIRE(failing.size() == 1);
    CHECK_THAT(failing[0].text, Catch::Contains("recordings.nc: stimulus 's") &&
                                    Catch::Contains("has no repetition in one half"));
    // What is left is a copy.
    CHECK(estimate().memory_bytes >= bytes + rows * test::small_neuroids * 8);
}

TEST_CASE("ceilings that do not fit are a problem, with its cure") {
    const SmallData small;
    const std::vector<PlannedCeiling> two = {{0, "a"}, {1, "b"}};
    const double both = estimate_ceilings(small.run, two, {1e9, 2, 1}).memory_bytes;
    CHECK(estimate_ceilings(small.run, two, {both, 2, 1}).problem.empty());
    CHECK_THAT(estimate_ceilings(small.run, two, {both - 1, 2, 1}).problem,
               Catch::Contains("small-pls") && Catch::EndsWith("they fit with --ranks 1"));
}
