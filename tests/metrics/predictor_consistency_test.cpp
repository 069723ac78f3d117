#include "metrics/predictor_consistency.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/assemblies.hpp"
#include "stats/small_problems.hpp"
#include "support/golden.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using metrics::predictor_consistency;
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

namespace {

/// Each of `images` images twice, in two neuroids: repetition 0 has the values i mod 5 and i, where
/// i is the image's number, repetition 1 has (i mod 5) + 2 and 7 i mod 11.
core::Assembly shown_twice(int images) {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2 * static_cast<std::size_t>(images)}, {"neuroid", 2}};
    std::vector<double> values;
    std::vector<std::int64_t> stimuli;
    std::vector<std::int64_t> repetitions;
    for (int q = 0; q < 2; ++q)
        for (int i = 0; i < images; ++i) {
            stimuli.push_back(i);
            repetitions.push_back(q);
            values.push_back(i % 5 + 2 * q);
            values.push_back(q == 0 ? i : (7 * i) % 11);
        }
    assembly.values = values;
    assembly.coordinates = {{"stimulus_id", "presentation", stimuli},
                            {"repetition", "presentation", repetitions},
                            {"neuroid_id", "neuroid", Texts{"b", "a"}}};
    return assembly;
}

core::Score consistency(const core::Assembly& assembly, std::size_t threads = 1) {
    core::Workers workers(threads);
    return predictor_consistency(assembly, workers);
}

}  // namespace

TEST_CASE("halves are drawn for each image by itself, as NumPy draws them") {
    // np.random.default_rng(0).permutation([0, 1]) for 20 images, again and again: 2 r / (1 + r) of
    // np.corrcoef of the halves (numpy 1.24.2).
    const auto score = consistency(shown_twice(20));
    const auto raw = test::numbers(score.raw);
    REQUIRE(raw.size() == 20);
    for (const auto& [place, expected] :
         std::vector<std::pair<std::size_t, double>>{{0, 0.6355263209503228},
                                                     {1, 0.010424849843281563},
                                                     {18, 0.5008356556329531},
                                                     {19, -0.471667418423557}})
        CHECK(raw[place] == Approx(expected).epsilon(1e-12));
    CHECK(score.value == Approx(0.07207430914917037).epsilon(1e-12));
    CHECK(score.error.value() == Approx(0.02982080596250409).epsilon(1e-12));
    CHECK(core::texts(score.raw, "neuroid_id") == Texts{"b", "a"});
}

TEST_CASE("a constant neuroid whose mean is inexact correlates with its own rounding") {
    // Twenty times 0.1, added up one after the other, is 2.0000000000000004.
    auto assembly = shown_twice(20);
    auto values = core::as_float64(assembly.values);
    for (std::size_t i = 0; i < values.size(); i += 2) values[i] = 0.1;
    assembly.values = values;
    CHECK(test::numbers(consistency(assembly).raw).at(0) == Approx(1).epsilon(1e-14));
    for (std::size_t i = 0; i < values.size(); i += 2) values[i] = 0.5;
    assembly.values = values;
    CHECK(std::isnan(test::numbers(consistency(assembly).raw).at(0)));
}

TEST_CASE("fewer than ten repeated images have no consistency") {
    const auto score = consistency(shown_twice(9));
    CHECK(std::isnan(score.value));
    CHECK(std::isnan(score.error.value()));
    for (const double value : test::numbers(score.raw)) CHECK(std::isnan(value));
    // An eleventh image that was shown once plays no part.
    auto one_more =
        core::take(shown_twice(11), "presentation",
                   {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
    CHECK(test::numbers(consistency(one_more).raw) ==
          test::numbers(consistency(core::take(one_more, "presentation",
                                               {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                11, 12, 13, 14, 15, 16, 17, 18, 19, 20}))
                            .raw));
}

TEST_CASE("images are told apart by image_id where there is one") {
    auto named = shown_twice(20);
    named.coordinates.push_back({"image_id", "presentation", named.coordinates[0].values});
    named.coordinates[0].values = std::vector<std::int64_t>(40, 7);
    CHECK(test::numbers(consistency(named).raw) == test::numbers(consistency(shown_twice(20)).raw));
}

TEST_CASE("the number of workers changes no bit") {
    const auto expected = test::numbers(consistency(shown_twice(20)).raw);
    for (const std::size_t threads : {2U, 5U})
        CHECK(test::numbers(consistency(shown_twice(20), threads).raw) == expected);
}

TEST_CASE("repetitions are whole numbers, of others the whole part, or texts of whole numbers") {
    const auto consistency_with = [](auto earlier, const auto& later) {
        auto assembly = shown_twice(20);
        earlier.insert(earlier.end(), later.begin(), later.end());
        assembly.coordinates[1].values = earlier;
        return test::numbers(consistency(assembly).raw);
    };
    const auto in_order = test::numbers(consistency(shown_twice(20)).raw);
    CHECK(consistency_with(Numbers(20, 1.75), Numbers(20, 2.25)) == in_order);
    CHECK(consistency_with(Numbers(20, 2), Numbers(20, 10)) == in_order);
    CHECK(consistency_with(Texts(20, "2"), Texts(20, "10")) == in_order);
    // Both are repetition 1, so that no image has two.
    CHECK(std::isnan(consistency_with(Numbers(20, 1.25), Numbers(20, 1.5))[0]));
    CHECK_THROWS_WITH(consistency_with(Texts(20, "1"), Texts(20, "second")),
                      Catch::Contains("repetition 'second' is no whole number"));
    CHECK_THROWS_WITH(consistency_with(Numbers(20, 1), Numbers(20, std::nan(""))),
                      Catch::Contains("is no whole number"));
}

TEST_CASE("an assembly without repetitions is refused") {
    auto assembly = shown_twice(20);
    assembly.coordinates.erase(assembly.coordinates.begin() + 1);
    CHECK_THROWS_WITH(consistency(assembly), Contains("'repetition'"));
}

TEST_CASE("ceilings equal the reference's") {
    for (const std::string suffix : {"", "-few"}) {
        INFO(suffix);
        const auto expected =
            test::golden("ceilings/expected.predictor_consistency" + suffix + ".json");
        const auto path = test::golden_path(suffix.empty() ? "ceilings/predictor.nc"
                                                           : "ceilings/predictor_few.nc");
        if (!expected || !path) return;
        const auto score = consistency(io::read_assembly(*path));
        CHECK(test::is_golden(score.value, expected->at("value"), 1e-12));
        CHECK(test::is_golden(score.error.value(), expected->at("error"), 1e-12));
        const auto raw = test::numbers(score.raw);
        std::size_t i = 0;
        for (const auto& split : expected->at("raw").at("values"))
            for (const auto& value : split) CHECK(test::is_golden(raw.at(i++), value, 1e-12));
        CHECK(i == raw.size());
        CHECK(score.further_texts.at("ceiling") == expected->at("ceiling").get<std::string>());
        CHECK(core::texts(score.raw, "neuroid_id").front() ==
              expected->at("raw").at("coords").at("neuroid").at("values")[0][0].get<std::string>());
    }
}
