#include "metrics/presentation_matrix.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using core::InputError;
using test::assembly_of;
using test::numbers;
using test::relabel;

namespace {

stats::Matrix two_by_three() {
    stats::Matrix m(2, 3);
    m << 1, 2, 3, 4, 5, 6;
    return m;
}

}  // namespace

TEST_CASE("recordings come as presentations by neuroids, whatever their dimensions") {
    const auto table = assembly_of(two_by_three());
    CHECK(numbers(presentation_by_neuroid(table)) == numbers(table));
    const auto turned = core::transpose(table, {"neuroid", "presentation"});
    CHECK(numbers(presentation_by_neuroid(turned)) == numbers(table));

    auto timed = turned;
    timed.dims.insert(timed.dims.begin() + 1, {"time_bin", 1});
    timed.coordinates.push_back({"time_bin_start", "time_bin", std::vector<double>{70}});
    const auto squeezed = presentation_by_neuroid(timed);
    CHECK(numbers(squeezed) == numbers(table));
    CHECK(squeezed.dims.size() == 2);
    CHECK(core::find_coordinate(squeezed, "time_bin_start") == nullptr);
}

TEST_CASE("recordings are seen as presentations by neuroids where they lie") {
    const auto table = assembly_of(two_by_three());
    auto turned = core::transpose(table, {"neuroid", "presentation"});
    turned.dims.push_back({"time_bin", 1});
    for (const core::Assembly* assembly : {&table, static_cast<const core::Assembly*>(&turned)}) {
        const auto view = view_presentations(*assembly);
        CHECK(&view.values == &assembly->values);
        REQUIRE(view.rows == 2);
        REQUIRE(view.neuroids == 3);
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                CHECK(numbers(*assembly)[i * view.row_stride + j * view.neuroid_stride] ==
                      two_by_three()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    }
    turned.dims[2].size = 2;
    CHECK_THROWS_WITH(view_presentations(turned), Contains("2 time bins"));
}

TEST_CASE("dimensions that no metric takes are refused") {
    auto timed = assembly_of(two_by_three());
    timed.dims = {{"presentation", 1}, {"neuroid", 3}, {"time_bin", 2}};
    timed.coordinates.clear();
    CHECK_THROWS_AS(presentation_by_neuroid(timed), InputError);
    CHECK_THROWS_WITH(presentation_by_neuroid(timed), Contains("2 time bins"));
    timed.dims[2].name = "subject";
    CHECK_THROWS_WITH(presentation_by_neuroid(timed), Contains("beside presentation"));
    timed.dims[0].name = "stimulus";
    CHECK_THROWS_AS(presentation_by_neuroid(timed), InputError);
}

TEST_CASE("a table becomes a matrix with presentations as rows") {
    CHECK(matrix_of(assembly_of(two_by_three())) == two_by_three());
    auto counts = assembly_of(two_by_three());
    counts.values = std::vector<std::int64_t>{1, 2, 3, 4, 5, 6};
    CHECK(matrix_of(counts) == two_by_three());
}

TEST_CASE("the first value that is no number is named with its stimulus and neuroid") {
    auto table = assembly_of(two_by_three());
    CHECK_NOTHROW(check_finite(table, "recording"));
    std::get<std::vector<double>>(table.values)[5] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(check_finite(table, "recording"), InputError);
    CHECK_THROWS_WITH(check_finite(table, "recording"),
                      Contains("recording is infinite at stimulus 's01', neuroid 'n2'"));
    std::get<std::vector<double>>(table.values)[1] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(check_finite(table, "recording"),
                      Contains("NaN at stimulus 's00', neuroid 'n1'"));
    table.coordinates.clear();
    CHECK_THROWS_WITH(check_finite(table, "recording"), Contains("stimulus '0', neuroid '1'"));
}

TEST_CASE("neuroids are ordered as their labels sort, numbers by value and texts by code point") {
    auto table = assembly_of(two_by_three());
    relabel(table, "neuroid_id", std::vector<std::string>{"s9", "S2", "s10"});
    CHECK(neuroid_order(table) == std::vector<std::size_t>{1, 2, 0});
    relabel(table, "neuroid_id", std::vector<std::int64_t>{9, 2, 10});
    CHECK(neuroid_order(table) == std::vector<std::size_t>{1, 0, 2});
    relabel(table, "neuroid_id", std::vector<std::string>{"b", "a", "b"});
    CHECK(neuroid_order(table) == std::vector<std::size_t>{1, 0, 2});
}

TEST_CASE("coordinates of neuroids come in the order asked for, those of others not") {
    auto table = assembly_of(two_by_three());
    table.coordinates.push_back({"region", "neuroid", std::vector<std::string>{"V4", "IT", "IT"}});
    const auto sorted = neuroid_coordinates(table, {2, 0, 1});
    REQUIRE(sorted.size() == 2);
    CHECK(std::get<std::vector<std::string>>(sorted[0].values) ==
          std::vector<std::string>{"n2", "n0", "n1"});
    CHECK(sorted[1].name == "region");
    CHECK(std::get<std::vector<std::string>>(sorted[1].values) ==
          std::vector<std::string>{"IT", "V4", "IT"});
}
