#include "metrics/rsa_ceiling.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/assemblies.hpp"
#include "stats/small_problems.hpp"
#include "support/golden.hpp"

using namespace ventral;
using Texts = std::vector<std::string>;

namespace {

core::Score ceiling(const core::Assembly& assembly, std::size_t threads = 2) {
    core::Workers workers(threads);
    return metrics::rsa_ceiling(assembly, workers);
}

core::Assembly with_subjects(const stats::Matrix& values, const core::Values& subjects) {
    auto assembly = test::assembly_of(values);
    assembly.coordinates.push_back({"subject", "neuroid", subjects});
    return assembly;
}

/// Three neuroids each: distances (r = 1/2, -1, -1/2) .5, 2, 1.5 of subject "a", twice; of "b" the
/// rows 1 and 2 are swapped: 2, .5, 1.5.
core::Assembly two_alike_one_not() {
    stats::Matrix values(3, 9);
    values << 1, 1, 1, 2, 2, 2, 3, 3, 3,  //
        4, 9, 4, 6, 8, 6, 5, 7, 5,        //
        9, 4, 9, 8, 6, 8, 7, 5, 7;
    return with_subjects(values, Texts{"c", "b", "a", "c", "b", "a", "c", "b", "a"});
}

}  // namespace

TEST_CASE("bounds worked out by hand") {
    // Ranks of a and c: 1, 3, 2; of b: 3, 1, 2; of the mean 1, 1.5, 1.5: 1, 2.5, 2.5. Deviations
    // (-1, 1, 0) · (-1, .5, .5) = 1.5, over √(2 · 1.5): √3 / 2 for a and c, -√3 / 2 for b: mean
    // √3 / 6. Of a without itself the mean is 1.25, 1.25, 1.5, ranks 1.5, 1.5, 3: 0; b: -1.
    const auto score = ceiling(two_alike_one_not());
    const double half = std::sqrt(3.0) / 2;
    CHECK(score.value == Approx(half / 3).epsilon(1e-13));
    CHECK(score.further.at("lower_bound_loo") == Approx(-1.0 / 3).epsilon(1e-13));
    const auto raw = test::numbers(score.raw);
    REQUIRE(raw.size() == 3);
    CHECK(raw[0] == Approx(half).epsilon(1e-13));
    CHECK(raw[1] == Approx(-half).epsilon(1e-13));
    CHECK(core::texts(score.raw, "subject") == Texts{"a", "b", "c"});
    CHECK(!score.error);
}

TEST_CASE("a single subject has no lower bound") {
    const auto score = ceiling(with_subjects(test::random_matrix(6, 4, 1), Texts(4, "only")));
    CHECK(score.value == Approx(1).epsilon(1e-14));
    CHECK(std::isnan(score.further.at("lower_bound_loo")));
}

TEST_CASE("a constant row of one subject leaves no ceiling") {
    auto values = test::random_matrix(6, 6, 2);
    values.row(2).head(3).setConstant(0.5);
    const auto score = ceiling(with_subjects(values, std::vector<std::int64_t>{1, 1, 1, 2, 2, 2}));
    CHECK(std::isnan(score.value));
    CHECK(std::isnan(score.further.at("lower_bound_loo")));
    CHECK(score.warnings.size() == 1);
}

TEST_CASE("recordings without subjects are refused") {
    CHECK_THROWS_AS(ceiling(test::assembly_of(test::random_matrix(5, 4, 3))), core::InputError);
    auto along_rows = test::assembly_of(test::random_matrix(5, 4, 3));
    along_rows.coordinates.push_back({"subject", "presentation", Texts(5, "a")});
    CHECK_THROWS_WITH(ceiling(along_rows), Catch::Matchers::Contains("presentation"));
}

TEST_CASE("recordings without entries are refused") {
    CHECK_THROWS_WITH(ceiling(with_subjects(stats::Matrix(0, 4), Texts{"a", "a", "b", "b"})),
                      Catch::Matchers::Contains("empty"));
    CHECK_THROWS_WITH(ceiling(with_subjects(stats::Matrix(5, 0), Texts{})),
                      Catch::Matchers::Contains("empty"));
}

TEST_CASE("the number of workers and the order of dimensions change no bit") {
    const auto assembly = with_subjects(test::random_matrix(40, 30, 4), [] {
        std::vector<std::int64_t> subjects;
        for (int j = 0; j < 30; ++j) subjects.push_back(j % 4);
        return subjects;
    }());
    const auto expected = ceiling(assembly, 1);
    for (const std::size_t threads : {2U, 5U}) {
        const auto found = ceiling(core::transpose(assembly, {"neuroid", "presentation"}), threads);
        CHECK(found.value == expected.value);
        CHECK(found.further == expected.further);
        CHECK(test::numbers(found.raw) == test::numbers(expected.raw));
        CHECK(found.margins.rank_gap == expected.margins.rank_gap);
    }
}

TEST_CASE("the ceiling equals the reference's") {
    const auto path = test::golden_path("rdm_parts/target.nc");
    const auto expected = test::golden("rdm_parts/expected.rsa_ceiling.json");
    if (!path || !expected) return;
    const auto score = ceiling(io::read_assembly(*path));
    CHECK(test::is_golden(score.value, expected->at("value"), 1e-12));
    CHECK(test::is_golden(score.further.at("lower_bound_loo"), expected->at("lower_bound_loo"),
                          1e-12));
}
