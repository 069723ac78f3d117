#include "core/assembly.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;
using Catch::Matchers::Contains;

namespace {

/// 2 presentations × 3 neuroids.
Assembly small_assembly() {
    Assembly assembly;
    assembly.name = "recordings";
    assembly.dims = {{"presentation", 2}, {"neuroid", 3}};
    assembly.values = std::vector<double>{1, 2, 3, 4, 5, 6};
    assembly.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"x", "y"}},
                            {"neuroid_id", "neuroid", std::vector<std::int64_t>{7, 8, 9}}};
    return assembly;
}

}  // namespace

TEST_CASE("dimensions are found by name") {
    const auto assembly = small_assembly();
    CHECK(dimension_index(assembly, "neuroid") == 1);
    CHECK(dimension_size(assembly, "neuroid") == 3);
    CHECK(has_dimension(assembly, "presentation"));
    CHECK_FALSE(has_dimension(assembly, "time_bin"));
}

TEST_CASE("a missing dimension or coordinate is an error that lists what there is") {
    const auto assembly = small_assembly();
    CHECK_THROWS_WITH(dimension_size(assembly, "neuroids"),
                      "recordings: no dimension 'neuroids' (its dimensions: presentation, "
                      "neuroid), did you mean 'neuroid'?");
    CHECK_THROWS_WITH(coordinate(assembly, "object_name"),
                      "recordings: no coordinate 'object_name' (its coordinates: stimulus_id, "
                      "neuroid_id)");
    CHECK_THROWS_AS(coordinate(assembly, "object_name"), InputError);
    CHECK(find_coordinate(assembly, "object_name") == nullptr);
}

TEST_CASE("a coordinate along another dimension is none along this one") {
    const auto assembly = small_assembly();
    CHECK(find_coordinate(assembly, "neuroid_id", "neuroid") == &assembly.coordinates[1]);
    CHECK(find_coordinate(assembly, "neuroid_id", "presentation") == nullptr);
    CHECK(find_coordinate(assembly, "object_name", "presentation") == nullptr);
}

TEST_CASE("labels of any type can be had as text") {
    CHECK(texts(small_assembly(), "neuroid_id") == std::vector<std::string>{"7", "8", "9"});
    CHECK(texts(small_assembly(), "stimulus_id") == std::vector<std::string>{"x", "y"});
}

TEST_CASE("a number of values or labels that contradicts the dimensions is an error") {
    auto assembly = small_assembly();
    CHECK_NOTHROW(check_consistent(assembly));
    assembly.coordinates[1].values = std::vector<std::int64_t>{7, 8};
    CHECK_THROWS_WITH(check_consistent(assembly), Contains("coordinate 'neuroid_id' has 2 labels"));
    assembly = small_assembly();
    assembly.values = std::vector<double>{1, 2, 3};
    CHECK_THROWS_WITH(check_consistent(assembly), Contains("recordings: 3 values"));
    assembly = small_assembly();
    assembly.coordinates[0].dim = "image";
    CHECK_THROWS_WITH(check_consistent(assembly), Contains("no dimension 'image'"));
}

TEST_CASE("a scalar has one value and no dimensions") {
    const Assembly scalar{"score", {}, std::vector<double>{0.5}, {}, {}};
    CHECK_NOTHROW(check_consistent(scalar));
}
