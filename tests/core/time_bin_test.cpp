#include "core/time_bin.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;

namespace {

Assembly two_bins() {
    Assembly assembly;
    assembly.dims = {{"neuroid", 2}, {"time_bin", 2}};
    assembly.values = std::vector<double>{1, 2, 3, 4};
    assembly.coordinates = {{"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90}},
                            {"time_bin_end", "time_bin", std::vector<double>{90, 110.5}}};
    return assembly;
}

}  // namespace

TEST_CASE("time bins are what their coordinates say, in their order") {
    CHECK(time_bins_of(two_bins()) == TimeBins{{70, 90}, {90, 110.5}});
    auto still = two_bins();
    still.dims[1].name = "presentation";
    CHECK(time_bins_of(still).empty());
}

TEST_CASE("the coordinates of time bins say them again") {
    auto assembly = two_bins();
    assembly.coordinates = time_coordinates({{-12.5, 0}, {70, 170}});
    CHECK(time_bins_of(assembly) == TimeBins{{-12.5, 0}, {70, 170}});
}

TEST_CASE("coordinates that label something else, or are not there, are errors") {
    auto assembly = two_bins();
    assembly.coordinates[1].dim = "neuroid";
    CHECK_THROWS_WITH(time_bins_of(assembly),
                      Catch::Contains("'time_bin_end' lies along 'neuroid'"));
    assembly.coordinates.pop_back();
    assembly.name = "a.nc";
    CHECK_THROWS_AS(time_bins_of(assembly), InputError);
    CHECK_THROWS_WITH(time_bins_of(assembly),
                      "a.nc: no coordinate 'time_bin_end' (along 'time_bin': time_bin_start) give "
                      "its bins the coordinates time_bin_start and time_bin_end along 'time_bin', "
                      "in milliseconds after the stimulus' onset");
    CHECK(time_bin_edges(assembly, "time_bin_start").dim == "time_bin");
}

TEST_CASE("bins are named and ordered by their edges") {
    CHECK(name_of(TimeBin{-12.5, 0}) == "-12.5 to 0 ms");
    CHECK(TimeBin{0, 70} < TimeBin{0, 100});
    CHECK(TimeBin{0, 100} < TimeBin{50, 70});
}
