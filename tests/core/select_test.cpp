#include "core/select.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;
using Catch::Matchers::Contains;

namespace {

Assembly recordings() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Assembly assembly;
    assembly.name = "v4.nc";
    assembly.dims = {{"presentation", 2}, {"neuroid", 4}};
    assembly.values = std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8};
    assembly.coordinates = {{"variation", "presentation", std::vector<std::int64_t>{3, 6}},
                            {"region", "neuroid", std::vector<std::string>{"V4", "IT", "V4", "V1"}},
                            {"reliability", "neuroid", std::vector<double>{0.3, 0.9, nan, 0.5}}};
    return assembly;
}

std::vector<double> numbers(const Assembly& assembly) {
    return std::get<std::vector<double>>(assembly.values);
}

}  // namespace

TEST_CASE("values of a list that no entry has are named") {
    Assembly assembly;
    assembly.dims = {{"presentation", 2}};
    assembly.coordinates = {{"object", "presentation", std::vector<std::string>{"car", "dog"}},
                            {"variation", "presentation", std::vector<std::int64_t>{0, 6}}};
    const auto absent = [&](const std::string& coordinate, std::vector<std::string> values) {
        return values_without_entries(assembly, {{coordinate, std::move(values), {}, {}}});
    };
    CHECK(absent("object", {"car", "dgo", "cat"}) ==
          std::vector<std::string>{"'object' dgo", "'object' cat"});
    CHECK(absent("variation", {"6", "0"}).empty());
    CHECK(absent("object", {"cat"}).empty());  // nothing is left then, which is an error
}

TEST_CASE("labels are selected by text, whatever their type") {
    const auto regions = select(recordings(), {{"region", {"V4", "V1"}, {}, {}}});
    CHECK(numbers(regions) == std::vector<double>{1, 3, 4, 5, 7, 8});
    const auto variations = select(recordings(), {{"variation", {"6"}, {}, {}}});
    CHECK(numbers(variations) == std::vector<double>{5, 6, 7, 8});
}

TEST_CASE("a range includes its ends and no missing number") {
    CHECK(numbers(select(recordings(), {{"reliability", {}, 0.3, 0.5}})) ==
          std::vector<double>{1, 4, 5, 8});
    CHECK(numbers(select(recordings(), {{"reliability", {}, 0.4, {}}})) ==
          std::vector<double>{2, 4, 6, 8});
}

TEST_CASE("all conditions have to hold, each along its own dimension") {
    const auto selected = select(recordings(), {{"region", {"V4", "IT"}, {}, {}},
                                                {"reliability", {}, 0.5, {}},
                                                {"variation", {"3"}, {}, {}}});
    CHECK(numbers(selected) == std::vector<double>{2});
}

TEST_CASE("a selection that cannot be made is an error that says what there is") {
    CHECK_THROWS_WITH(select(recordings(), {{"region", {"MT"}, {}, {}}}), Contains("IT, V1, V4"));
    CHECK_THROWS_WITH(select(recordings(), {{"area", {"V4"}, {}, {}}}),
                      Contains("no coordinate 'area'"));
    CHECK_THROWS_WITH(select(recordings(), {{"region", {}, 0.3, {}}}), Contains("text"));
}

TEST_CASE("where conditions hold is told by labels alone, of the dimensions that lose entries") {
    auto labels = recordings();
    labels.values = std::vector<double>{};
    const auto positions = matching(labels, {{"region", {"V4", "V1"}, {}, {}},
                                             {"reliability", {}, 0.4, {}},
                                             {"variation", {"3", "6"}, {}, {}}});
    CHECK(positions == Positions{{"neuroid", {3}}});
    CHECK(matching(labels, {}).empty());
    CHECK(numbers(take(recordings(), positions)) == std::vector<double>{4, 8});
    const auto left = take(labels, positions);
    CHECK(left.dims[1].size == 1);
    CHECK(value_count(left.values) == 0);
    CHECK(texts(left, "region") == std::vector<std::string>{"V1"});
}
