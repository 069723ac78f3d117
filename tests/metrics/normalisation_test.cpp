#include "metrics/normalisation.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/golden.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;

namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

/// Three neuroids; `values` holds one or more splits of them.
core::Score raw_score(std::vector<double> values) {
    core::Score score;
    if (values.size() > 3) score.raw.dims.push_back({"split", values.size() / 3});
    score.raw.dims.push_back({"neuroid", 3});
    score.raw.values = std::move(values);
    score.raw.coordinates = {{"neuroid_id", "neuroid", std::vector<std::string>{"a", "b", "c"}},
                             {"region", "neuroid", std::vector<std::string>{"V4", "V4", "IT"}}};
    return score;
}

/// The score that a golden describes.
core::Score golden_score(const nlohmann::json& expected) {
    core::Score score;
    score.value = expected.at("value");
    const auto& raw = expected.at("raw");
    std::vector<double> values;
    for (const auto& row : raw.at("values")) {
        const auto entries = row.is_array() ? row : nlohmann::json::array({row});
        for (const auto& entry : entries) values.push_back(entry.get<double>());
    }
    for (std::size_t i = 0; i < raw.at("dims").size(); ++i)
        score.raw.dims.push_back({raw.at("dims")[i], raw.at("shape")[i]});
    score.raw.values = values;
    for (const auto& [name, labels] : raw.at("coords").items())
        if (labels.at("dims")[0] == "neuroid")
            score.raw.coordinates.push_back(
                {name, "neuroid", labels.at("values").get<std::vector<std::string>>()});
    return score;
}

}  // namespace

TEST_CASE("explained variance is the square over the ceiling, without the sign and unclipped") {
    CHECK(normalise("explained_variance", 0.5, 0.8) == 0.25 / 0.8);
    CHECK(normalise("explained_variance", -0.5, 0.8) == 0.25 / 0.8);
    CHECK(normalise("explained_variance", 0.9, 0.3) == Approx(2.7));
}

TEST_CASE("a ceiled score is the value over the ceiling, with the sign and unclipped") {
    CHECK(normalise("ceil_score", 0.5, 0.8) == 0.625);
    CHECK(normalise("ceil_score", -0.5, 0.25) == -2);
}

TEST_CASE("without normalisation the ceiling plays no part") {
    CHECK(normalise("none", 0.5, 0.8) == 0.5);
    CHECK(normalise("none", 0.5, std::numeric_limits<double>::quiet_NaN()) == 0.5);
}

TEST_CASE("what is missing stays missing") {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    for (const std::string name : {"explained_variance", "ceil_score", "none"})
        CHECK(std::isnan(normalise(name, missing, 0.5)));
    CHECK(std::isnan(normalise("ceil_score", 0.5, missing)));
    CHECK(std::isnan(normalise("explained_variance", 0.5, missing)));
}

TEST_CASE("a normalisation that is not there is an error") {
    CHECK_THROWS_AS(normalise("explained", 0.5, 0.8), core::InputError);
    CHECK_THROWS_WITH(normalise("ceil_scores", 0.5, 0.8), Contains("did you mean 'ceil_score'"));
    CHECK_THROWS_WITH(normalise(neuroid_wise, 0.5, 0.8), Contains("values of single neuroids"));
}

TEST_CASE("the variance of each neuroid is explained against its own ceiling") {
    // Ceilings (.5 + .7) / 2, .5 and .2: .36/.6, .25/.5 and .01/.2, of mean 1.15/3.
    auto score = raw_score({0.6, -0.5, 0.1});
    score.error = 0.25;
    const auto ceiling = raw_score({0.5, 0.4, 0.3, 0.7, 0.6, 0.1});
    const auto found = neuroid_wise_explained_var(score, ceiling);
    CHECK(found.value == Approx(1.15 / 3).epsilon(1e-14));
    CHECK(found.error == 0.25);
    const auto& ceiled = std::get<std::vector<double>>(found.raw.values);
    CHECK(ceiled[0] == Approx(0.6));
    CHECK(ceiled[1] == Approx(0.5));
    CHECK(ceiled[2] == Approx(0.05));
    CHECK(neuroid_wise_explained_var(score, ceiling, stats::nan_median).value == Approx(0.5));
    CHECK(neuroid_wise_explained_var(score, raw_score({0.6, 0.5, 0.2})).value ==
          Approx(found.value).epsilon(1e-14));
}

TEST_CASE("each split is normalised by the ceilings of all") {
    // .36/.6, .25/.5, .01/.2 and 0/.6, .04/.5, missing: 0.6, 0.5, 0.05, 0, 0.08.
    const auto found =
        neuroid_wise_explained_var(raw_score({0.6, -0.5, 0.1, 0, 0.2, missing_value}),
                                   raw_score({0.5, 0.4, 0.3, 0.7, 0.6, 0.1}));
    CHECK(found.value == Approx(1.23 / 5).epsilon(1e-14));
    CHECK(found.raw.dims[0].name == "split");
}

TEST_CASE("labels that are numbers are compared by value") {
    auto score = raw_score({0.6, 0.5, 0.1});
    auto ceiling = score;
    score.raw.coordinates[1].values = std::vector<float>{0.5F, std::nanf(""), 3};
    ceiling.raw.coordinates[1].values = std::vector<double>{0.5, missing_value, 3};
    CHECK(neuroid_wise_explained_var(score, ceiling).value == Approx(0.4));
    ceiling.raw.coordinates[1].values = std::vector<std::int64_t>{0, 1, 3};
    CHECK_THROWS_WITH(neuroid_wise_explained_var(score, ceiling), Contains("'region' differs"));
}

TEST_CASE("neuroids and splits that are missing are skipped") {
    const auto ceiling = raw_score({missing_value, 0.5, 0.2, 0.6, 0.5, 0.2});
    CHECK(neuroid_wise_explained_var(raw_score({0.6, missing_value, 0.1}), ceiling).value ==
          Approx((0.6 + 0.05) / 2).epsilon(1e-14));
}

TEST_CASE("neuroids that are not the same are refused") {
    const auto score = raw_score({0.6, 0.5, 0.1});
    const auto ceiling = raw_score({0.5, 0.4, 0.3});
    auto other = ceiling;
    other.raw.coordinates[0].values = std::vector<std::string>{"a", "c", "b"};
    CHECK_THROWS_AS(neuroid_wise_explained_var(score, other), core::InputError);
    CHECK_THROWS_WITH(neuroid_wise_explained_var(score, other), Contains("'neuroid_id' differs"));
    const auto last = other.raw.coordinates.back().name;
    other.raw.coordinates.pop_back();
    CHECK_THROWS_WITH(neuroid_wise_explained_var(score, other),
                      Contains("only one has the coordinate '" + last + "'"));
    other = ceiling;
    other.raw.dims[0].size = 2;
    CHECK_THROWS_AS(neuroid_wise_explained_var(score, other), core::InputError);
    auto of_splits = raw_score({0.5, 0.4, 0.3});
    of_splits.raw.dims[0].name = "split";
    CHECK_THROWS_WITH(neuroid_wise_explained_var(of_splits, ceiling),
                      Contains("one number per neuroid"));
    CHECK_THROWS_AS(neuroid_wise_explained_var(score, core::Score{}), core::InputError);
}

TEST_CASE("normalisations equal the reference's") {
    const auto expected = test::golden("normalisation/expected.normalisation.json");
    if (!expected) return;
    const auto score = golden_score(expected->at("raw"));
    const auto ceiling = golden_score(expected->at("ceiling"));
    for (const std::string name : {"explained_variance", "ceil_score"})
        CHECK(test::is_golden(normalise(name, score.value, ceiling.value), expected->at(name),
                              1e-12));
    const auto& wise = expected->at("neuroid_wise_explained_var");
    const auto found = neuroid_wise_explained_var(score, ceiling);
    // Ceilings near 0 make values near 80: relative, not absolute.
    CHECK(found.value == Approx(wise.at("value").get<double>()).epsilon(1e-12));
    const auto& ceiled = std::get<std::vector<double>>(found.raw.values);
    const auto& per_neuroid = wise.at("ceiled_scores").at("values");
    REQUIRE(ceiled.size() == per_neuroid.size());
    for (std::size_t i = 0; i < ceiled.size(); ++i)
        CHECK(ceiled[i] == Approx(per_neuroid[i].get<double>()).epsilon(1e-12));
    CHECK(test::is_golden(neuroid_wise_explained_var(score, ceiling, stats::nan_median).value,
                          expected->at("neuroid_wise_explained_var_median"), 1e-12));
    for (const auto& pair : expected->at("explained_variance_of_negative_r"))
        CHECK(test::is_golden(normalise("explained_variance", pair[0], 0.8), pair[1], 1e-12));
}
