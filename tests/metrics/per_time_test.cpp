#include "metrics/per_time.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using core::InputError;
using test::numbers;

namespace {

using Integers = std::vector<std::int64_t>;

/// One presentation, two neuroids, three bins that are stored out of order.
core::Assembly three_bins() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 1}, {"neuroid", 2}, {"time_bin", 3}};
    assembly.values = std::vector<double>{3, 1, 2, 30, 10, 20};
    assembly.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s0"}},
                            {"neuroid_id", "neuroid", std::vector<std::string>{"a", "b"}},
                            {"time_bin_start", "time_bin", Integers{110, 70, 90}},
                            {"time_bin_end", "time_bin", Integers{130, 90, 110}}};
    return assembly;
}

/// The first value as score, the second as error, both as raw value of a neuroid each.
core::Score first_and_second(const core::Assembly& bin) {
    core::Score score;
    score.value = numbers(bin).at(0);
    score.error = numbers(bin).at(1);
    score.raw = core::squeeze(bin, "presentation");
    score.route = "gram";
    score.margins.guard = score.value;
    score.margins.pls_stop = score.value;
    score.warnings = {"alike", std::to_string(numbers(bin).at(0))};
    return score;
}

}  // namespace

TEST_CASE("bins are scored in order of their start and put together along time") {
    const auto score = per_time(three_bins(), first_and_second);
    CHECK(numbers(score.value_array.value()) == std::vector<double>{1, 2, 3});
    CHECK(numbers(score.error_array.value()) == std::vector<double>{10, 20, 30});
    CHECK(score.value == 2);
    CHECK(score.error.value() == 20);
    for (const auto* array : {&*score.value_array, &*score.error_array}) {
        REQUIRE(array->dims.size() == 1);
        CHECK(array->dims[0].name == "time_bin");
        REQUIRE(array->coordinates.size() == 2);
        CHECK(array->coordinates[0].name == "time_bin_start");
        CHECK(array->coordinates[0].values == core::Values(Integers{70, 90, 110}));
        CHECK(array->coordinates[1].values == core::Values(Integers{90, 110, 130}));
    }
}

TEST_CASE("raw values have the time before the other dimensions") {
    const auto raw = per_time(three_bins(), first_and_second).raw;
    CHECK(numbers(raw) == std::vector<double>{1, 10, 2, 20, 3, 30});
    REQUIRE(raw.dims.size() == 2);
    CHECK(raw.dims[0].name == "time_bin");
    CHECK(raw.dims[1].name == "neuroid");
    CHECK(core::coordinate(raw, "time_bin_start").dim == "time_bin");
    CHECK(core::texts(raw, "neuroid_id") == std::vector<std::string>{"a", "b"});
    CHECK_NOTHROW(core::check_consistent(raw));
}

TEST_CASE("margins, routes and warnings are those of all bins") {
    const auto score = per_time(three_bins(), first_and_second);
    CHECK(score.route == "gram");
    CHECK(score.margins.guard == 3);
    CHECK(score.margins.pls_stop == 1);
    CHECK(score.warnings.size() == 4);
    CHECK(score.undefined_neuroids == 0);
}

TEST_CASE("a bin without a score leaves the others as they are") {
    auto assembly = three_bins();
    std::get<std::vector<double>>(assembly.values)[1] = std::numeric_limits<double>::quiet_NaN();
    const auto score = per_time(assembly, first_and_second);
    CHECK(std::isnan(numbers(*score.value_array)[0]));
    CHECK(score.value == 2.5);
    CHECK(score.undefined_neuroids == 1);
}

TEST_CASE("without errors there is no error") {
    const auto score = per_time(three_bins(), [](const core::Assembly& bin) {
        auto found = first_and_second(bin);
        if (found.value == 2) found.error.reset();
        return found;
    });
    CHECK(!score.error);
    CHECK(!score.error_array);
}

TEST_CASE("several assemblies are taken at the positions of each bin") {
    const auto one = three_bins();
    const auto other = core::take(one, "time_bin", {1, 2, 0});
    const auto bins = sorted_time_bins(one);
    const auto others = sorted_time_bins(other);
    CHECK_NOTHROW(require_same_bin_starts(bins, others));
    const auto score = score_time_bins(bins, [&](std::size_t bin) {
        const auto a = at_time_bin(one, bins.positions[bin]);
        const auto b = at_time_bin(other, others.positions[bin]);
        CHECK(numbers(a) == numbers(b));
        CHECK(a.dims.size() == 2);
        return first_and_second(a);
    });
    CHECK(score.value == 2);
    CHECK_THROWS_AS(
        require_same_bin_starts(bins, sorted_time_bins(core::take(one, "time_bin", {0, 1}))),
        InputError);
}

TEST_CASE("assemblies without time bins are refused") {
    auto still = at_time_bin(three_bins(), 0);
    CHECK_THROWS_WITH(sorted_time_bins(still), Contains("time_bin"));
    CHECK_THROWS_AS(sorted_time_bins(core::take(three_bins(), "time_bin", {})), InputError);
    auto unnamed = three_bins();
    unnamed.coordinates.erase(unnamed.coordinates.begin() + 2);
    CHECK_THROWS_WITH(sorted_time_bins(unnamed), Contains("time_bin_start"));
    CHECK_THROWS_AS(score_time_bins(sorted_time_bins(three_bins()),
                                    [](std::size_t bin) {
                                        core::Score score;
                                        score.raw.dims = {{"neuroid", bin}};
                                        score.raw.values = std::vector<double>(bin, 0.0);
                                        return score;
                                    }),
                    InputError);
}
