#include "core/repetition_groups.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;

namespace {

Assembly presentations(std::vector<std::string> ids, std::vector<std::int64_t> sessions) {
    Assembly assembly;
    const auto count = ids.size();
    assembly.dims = {{"presentation", count}};
    assembly.values = std::vector<double>(count);
    assembly.coordinates = {
        {"repetition", "presentation", std::vector<std::int64_t>(count)},
        {"stimulus_id", "presentation", std::move(ids)},
        {"session", "presentation", std::move(sessions)},
    };
    return assembly;
}

}  // namespace

TEST_CASE("groups come in the order of their labels, their rows in stored order") {
    const auto groups = repetition_groups(presentations({"b", "a", "b", "a"}, {10, 9, 10, 10}));
    // (a, 9): row 1; (a, 10): row 3; (b, 10): rows 0 and 2.
    CHECK(groups.count() == 3);
    CHECK(groups.order == std::vector<std::size_t>{1, 3, 0, 2});
    CHECK(groups.starts == std::vector<std::size_t>{0, 1, 2, 4});
}

TEST_CASE("the label that keeps presentations of a stimulus apart is named") {
    const auto told = [](const Assembly& assembly) {
        return split_repetitions(assembly, repetition_groups(assembly));
    };
    const auto split = told(presentations({"b", "a", "b", "a"}, {10, 9, 10, 10}));
    REQUIRE(split);
    CHECK(split->coordinate == "session");
    CHECK(split->stimulus == "a");
    CHECK_FALSE(told(presentations({"b", "a", "b", "a"}, {10, 9, 10, 9})));
}

TEST_CASE("no presentations are no groups") {
    CHECK(repetition_groups(presentations({}, {})).count() == 0);
}

TEST_CASE("a repetition that is not said along presentations is refused") {
    auto assembly = presentations({"a"}, {1});
    assembly.coordinates.erase(assembly.coordinates.begin());
    CHECK_THROWS_AS(repetition_groups(assembly), InputError);
}
