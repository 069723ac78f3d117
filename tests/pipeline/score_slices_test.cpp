#include "pipeline/fit/score_slices.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;

namespace {

core::Assembly over_time(const std::vector<double>& values) {
    return {"data",
            {{"time_bin", values.size()}},
            values,
            {{"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90}},
             {"time_bin_end", "time_bin", std::vector<std::int64_t>{90, 170}}},
            {}};
}

/// 0.5 and 0.6 in two bins.
core::Score two_bins() {
    core::Score score;
    score.value = 0.55;
    score.value_array = over_time({0.5, 0.6});
    score.error_array = over_time({0.01, 0.02});
    return score;
}

core::ScoreRecord record() {
    core::ScoreRecord record;
    record.normalisation = "explained_variance";
    return record;
}

}  // namespace

TEST_CASE("a score over time is normalised bin by bin, its value is their mean") {
    auto put = record();
    const core::CeilingValue ceiling{
        0.7, {}, {{"90 to 170 ms", 0.9, 0.03}, {"70 to 90 ms", 0.5, {}}}};
    pipeline::put_score(put, two_bins(), &ceiling);
    REQUIRE(put.slices.size() == 2);
    // 0.5² / 0.5 and 0.6² / 0.9.
    CHECK(put.slices[0].name == "70 to 90 ms");
    CHECK(put.slices[0].value == Approx(0.5));
    CHECK(put.slices[1].value == Approx(0.4));
    CHECK(put.slices[1].raw_value == 0.6);
    CHECK(put.slices[1].error == 0.02);
    CHECK(put.slices[1].ceiling == 0.9);
    CHECK(put.slices[1].ceiling_error == 0.03);
    CHECK_FALSE(put.slices[0].ceiling_error.has_value());
    CHECK(put.value.value() == Approx(0.45));
    CHECK(put.raw_value == 0.55);
    CHECK(put.ceiling.value().value == 0.7);
}

TEST_CASE("a ceiling that is one number is that of every bin") {
    auto put = record();
    const core::CeilingValue ceiling{0.5, 0.1};
    pipeline::put_score(put, two_bins(), &ceiling);
    CHECK(put.slices[0].value == Approx(0.5));
    CHECK(put.slices[1].value == Approx(0.72));
    CHECK(put.value.value() == Approx(0.61));
}

TEST_CASE("a bin that the ceiling lacks is an error that names it") {
    auto put = record();
    const core::CeilingValue ceiling{0.7, {}, {{"70 to 90 ms", 0.5, {}}}};
    CHECK_THROWS_WITH(pipeline::put_score(put, two_bins(), &ceiling),
                      Catch::Contains("nothing for 90 to 170 ms"));
}

TEST_CASE("an undefined bin is left out of the mean") {
    auto put = record();
    put.normalisation = "none";
    auto score = two_bins();
    score.value_array = over_time({std::numeric_limits<double>::quiet_NaN(), 0.6});
    pipeline::put_score(put, score, nullptr);
    CHECK(std::isnan(put.slices[0].value));
    CHECK(put.value == 0.6);
    CHECK_FALSE(put.ceiling.has_value());
}

TEST_CASE("a score without time has no slices") {
    auto put = record();
    core::Score score;
    score.value = 0.6;
    score.error = 0.01;
    const core::CeilingValue ceiling{0.9, {}};
    pipeline::put_score(put, score, &ceiling);
    CHECK(put.slices.empty());
    CHECK(put.value.value() == 0.6 * 0.6 / 0.9);
    CHECK(put.error == 0.01);
}

TEST_CASE("neuroids are normalised by their own ceilings, at once or again") {
    core::Score score;
    score.value = 0.55;
    score.raw = {"data",
                 {{"split", 1}, {"neuroid", 2}},
                 std::vector<double>{0.5, 0.6},
                 {{"neuroid_id", "neuroid", std::vector<std::string>{"a", "b"}}},
                 {}};
    auto limits = score;
    limits.value = 0.7;
    limits.raw.values = std::vector<double>{0.5, 0.9};
    const auto ceiling = pipeline::ceiling_value(limits);
    auto put = record();
    put.normalisation = "neuroid_wise_explained_var";
    pipeline::put_score(put, score, &ceiling);
    // 0.5² / 0.5 and 0.6² / 0.9.
    CHECK(put.value.value() == Approx(0.45));
    CHECK(put.raw_value == 0.55);
    CHECK(put.ceiling.value().value == 0.7);
    CHECK_FALSE(put.ceiling->neuroids.has_value());

    CHECK(pipeline::normalise_again(put, "ceil_score"));
    CHECK(put.value.value() == Approx(0.55 / 0.7));
    pipeline::normalise_neuroids_again(put, score.raw, ceiling);
    CHECK(put.value.value() == Approx(0.45));
    CHECK(put.normalisation == "neuroid_wise_explained_var");

    const core::CeilingValue one_number{0.7, {}};
    CHECK_THROWS_AS(pipeline::put_score(put, score, &one_number), core::InputError);
    put.normalisation = "ceil_score";
    CHECK_THROWS_AS(pipeline::normalise_neuroids_again(put, score.raw, one_number),
                    core::InputError);
    CHECK(put.normalisation == "ceil_score");
}

TEST_CASE("a score over time is normalised otherwise bin by bin") {
    auto put = record();
    const core::CeilingValue ceiling{
        0.7, {}, {{"70 to 90 ms", 0.5, {}}, {"90 to 170 ms", 0.9, {}}}};
    pipeline::put_score(put, two_bins(), &ceiling);
    CHECK(pipeline::normalise_again(put, "ceil_score"));
    // 0.5 / 0.5 and 0.6 / 0.9; the mean of the raw values by that of the ceilings were 0.55 / 0.7.
    CHECK(put.slices[1].value == Approx(0.6 / 0.9));
    CHECK(put.value.value() == Approx((1 + 0.6 / 0.9) / 2));
    CHECK(put.normalisation == "ceil_score");
}

TEST_CASE("without a ceiling a record is normalised in no other way") {
    auto put = record();
    put.normalisation = "none";
    pipeline::put_score(put, two_bins(), nullptr);
    const auto value = put.value;
    CHECK_FALSE(pipeline::normalise_again(put, "ceil_score"));
    CHECK(put.normalisation == "none");
    CHECK(pipeline::normalise_again(put, "none"));
    CHECK(put.value == value);
}

TEST_CASE("a ceiling over time is a number and a slice for each bin") {
    const auto ceiling = pipeline::ceiling_value(two_bins());
    CHECK(ceiling.value == 0.55);
    REQUIRE(ceiling.slices.size() == 2);
    CHECK(ceiling.slices[1].name == "90 to 170 ms");
    CHECK(ceiling.slices[1].value == 0.6);
    CHECK(ceiling.slices[1].error == 0.02);
}
