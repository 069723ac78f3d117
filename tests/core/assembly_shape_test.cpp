#include <catch2/catch.hpp>

#include "core/assembly.hpp"
#include "core/errors.hpp"

using namespace ventral::core;
using Catch::Matchers::Contains;

namespace {

/// 2 × 3 × 2 with the values 0 … 11 and one coordinate per dimension.
Assembly cube() {
    Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 3}, {"time_bin", 2}};
    assembly.values = std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    assembly.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"x", "y"}},
                            {"neuroid_id", "neuroid", std::vector<std::string>{"a", "b", "c"}},
                            {"start", "time_bin", std::vector<double>{70, 90}}};
    assembly.attributes["region"] = std::string("V4");
    return assembly;
}

std::vector<std::int64_t> integers(const Assembly& assembly) {
    return std::get<std::vector<std::int64_t>>(assembly.values);
}

}  // namespace

TEST_CASE("taking positions of a dimension takes its labels along") {
    const auto taken = take(cube(), "neuroid", {2, 0, 2});
    CHECK(dimension_size(taken, "neuroid") == 3);
    CHECK(integers(taken) == std::vector<std::int64_t>{4, 5, 0, 1, 4, 5, 10, 11, 6, 7, 10, 11});
    CHECK(texts(taken, "neuroid_id") == std::vector<std::string>{"c", "a", "c"});
    CHECK(texts(taken, "stimulus_id") == std::vector<std::string>{"x", "y"});
    CHECK(std::get<std::string>(taken.attributes.at("region")) == "V4");
}

TEST_CASE("taking nothing leaves an empty dimension") {
    const auto taken = take(cube(), "presentation", {});
    CHECK(dimension_size(taken, "presentation") == 0);
    CHECK(integers(taken).empty());
    CHECK_NOTHROW(check_consistent(taken));
}

TEST_CASE("transposing moves every value to its new place") {
    const auto turned = transpose(cube(), {"time_bin", "presentation", "neuroid"});
    CHECK(turned.dims[0].name == "time_bin");
    // The even numbers are of the first time bin.
    CHECK(integers(turned) == std::vector<std::int64_t>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
    CHECK(texts(turned, "neuroid_id") == std::vector<std::string>{"a", "b", "c"});
    const auto back = transpose(turned, {"presentation", "neuroid", "time_bin"});
    CHECK(integers(back) == integers(cube()));
}

TEST_CASE("a transposition names every dimension once") {
    CHECK_THROWS_AS(transpose(cube(), {"neuroid", "presentation"}), InputError);
    CHECK_THROWS_WITH(transpose(cube(), {"neuroid", "neuroid", "time_bin"}), Contains("twice"));
    CHECK_THROWS_WITH(transpose(cube(), {"neuroid", "choice", "time_bin"}),
                      Contains("no dimension 'choice'"));
}

TEST_CASE("squeezing drops a dimension of one entry and its labels") {
    const auto flat = squeeze(take(cube(), "time_bin", {1}), "time_bin");
    CHECK(flat.dims.size() == 2);
    CHECK(integers(flat) == std::vector<std::int64_t>{1, 3, 5, 7, 9, 11});
    CHECK(find_coordinate(flat, "start") == nullptr);
    CHECK_THROWS_WITH(squeeze(cube(), "time_bin"), Contains("has 2 entries"));
}
