#include "core/dropna.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Assembly table(const std::vector<float>& values) {
    Assembly assembly;
    assembly.name = "rates";
    assembly.dims = {{"presentation", 3}, {"neuroid", 2}};
    assembly.values = values;
    assembly.coordinates = {
        {"stimulus_id", "presentation", std::vector<std::string>{"a", "b", "c"}},
        {"neuroid_id", "neuroid", std::vector<std::string>{"m", "n"}}};
    return assembly;
}

}  // namespace

TEST_CASE("entries with a NaN are left out along the dimension that is named") {
    const auto rates = table({1, 2, 3, nan, 5, 6});
    const auto presentations = dropna(rates, "presentation");
    CHECK(std::get<std::vector<float>>(presentations.values) == std::vector<float>{1, 2, 5, 6});
    CHECK(texts(presentations, "stimulus_id") == std::vector<std::string>{"a", "c"});
    CHECK(texts(presentations, "neuroid_id") == std::vector<std::string>{"m", "n"});
    const auto neuroids = dropna(rates, "neuroid");
    CHECK(std::get<std::vector<float>>(neuroids.values) == std::vector<float>{1, 3, 5});
    CHECK(texts(neuroids, "neuroid_id") == std::vector<std::string>{"m"});
}

TEST_CASE("nothing is left out where nothing is NaN, nor of whole numbers and texts") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    CHECK(dropna(table({1, 2, 3, infinity, 5, 6}), "presentation").dims[0].size == 3);
    auto counts = table({});
    counts.values = std::vector<std::int64_t>{1, 2, 3, 4, 5, 6};
    CHECK(dropna(counts, "neuroid").dims[1].size == 2);
    counts.values = std::vector<std::string>{"nan", "2", "3", "4", "5", "6"};
    CHECK(dropna(counts, "neuroid").dims[1].size == 2);
}

TEST_CASE("of what has a NaN everywhere nothing is left, which is an error") {
    const auto rates = table({nan, 2, nan, 4, 5, nan});
    CHECK_THROWS_WITH(dropna(rates, "presentation"),
                      "rates: nothing is left of dimension 'presentation' (each of its 3 entries "
                      "has a NaN) select what has none along another dimension");
    CHECK_THROWS_AS(dropna(rates, "neuroid"), InputError);
    CHECK_THROWS_AS(dropna(rates, "time_bin"), InputError);
}
