#include "metrics/internal_consistency.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/golden.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using core::InputError;
using metrics::internal_consistency;
using Texts = std::vector<std::string>;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

const std::string drop_session =
    "drop the coordinate, { file = …, drop = [\"session\"] } in the dataset's TOML";

/// Presentation 4 s + q is stimulus s = 0, 1, 2 in repetition q = 0 … 3; neuroid j has the value
/// (5 s + (3 s + 7 q + 2 j + s q (j + 1)) mod 5) / 2.
core::Assembly three_stimuli() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 12}, {"neuroid", 2}};
    Texts stimuli;
    std::vector<std::int64_t> repetitions;
    std::vector<double> values;
    for (int s = 0; s < 3; ++s)
        for (int q = 0; q < 4; ++q) {
            stimuli.push_back("s" + std::to_string(s));
            repetitions.push_back(q);
            for (int j = 0; j < 2; ++j)
                values.push_back((5 * s + (3 * s + 7 * q + 2 * j + s * q * (j + 1)) % 5) / 2.0);
        }
    assembly.values = values;
    assembly.coordinates = {{"stimulus_id", "presentation", stimuli},
                            {"repetition", "presentation", repetitions},
                            {"neuroid_id", "neuroid", Texts{"n0", "n1"}}};
    return assembly;
}

core::Score consistency(const core::Assembly& assembly, std::size_t threads = 1) {
    core::Workers workers(threads);
    return internal_consistency(assembly, workers);
}

const std::vector<double>& raw_values(const core::Score& score) {
    return std::get<std::vector<double>>(score.raw.values);
}

void check_raw(const core::Score& score, const std::vector<double>& expected) {
    const auto& raw = raw_values(score);
    REQUIRE(raw.size() == expected.size());
    for (std::size_t i = 0; i < raw.size(); ++i)
        CHECK(raw[i] == Approx(expected[i]).epsilon(1e-12));
}

void check_golden(const std::string& input) {
    INFO(input);
    const auto expected = test::golden("ceilings/expected.internal_consistency-" + input + ".json");
    const auto path = test::golden_path("ceilings/" + input + ".nc");
    if (!expected || !path) return;
    const auto recordings = io::read_assembly(*path);
    if (expected->contains("raises")) {
        CHECK_THROWS_AS(consistency(recordings), InputError);
        return;
    }
    const auto score = consistency(recordings);
    CHECK(test::is_golden(score.value, expected->at("value"), 1e-12));
    CHECK(test::is_golden(score.error.value(), expected->at("error"), 1e-12));
    const auto& raw = expected->at("raw");
    std::size_t i = 0;
    for (const auto& split : raw.at("values"))
        for (const auto& value : split)
            CHECK(test::is_golden(raw_values(score).at(i++), value, 1e-12));
    CHECK(i == raw_values(score).size());
    CHECK(core::texts(score.raw, "neuroid_id") ==
          raw.at("coords").at("neuroid_id").at("values").get<Texts>());
}

// The ten halves that ShuffleSplit draws of four repetitions are, as pairs, (01 | 23), (13 | 02),
// (01 | 23) three times, (12 | 03) three times, (01 | 23), (02 | 13). Each pair's values below are
// of np.mean over repetitions, scipy.stats.pearsonr and 2 r / (1 + r).
const std::vector<double> a = {0.994294656829412, 0.9764078448125552};
const std::vector<double> b = {0.9953200023288178, 1.0};
const std::vector<double> c = {0.9960924692529051, 0.976915974145891};

std::vector<double> splits_of(const std::vector<double>& pair_01,
                              const std::vector<double>& pair_02,
                              const std::vector<double>& pair_03) {
    std::vector<double> raw;
    for (const auto* pair : {&pair_01, &pair_02, &pair_01, &pair_01, &pair_01, &pair_03, &pair_03,
                             &pair_03, &pair_01, &pair_02})
        raw.insert(raw.end(), pair->begin(), pair->end());
    return raw;
}

}  // namespace

TEST_CASE("halves of the repetitions are correlated and corrected for their length") {
    const auto score = consistency(three_stimuli());
    check_raw(score, splits_of(a, b, c));
    // The mean of the medians over both neuroids, and their deviation over √10.
    CHECK(score.value == Approx(0.9881588921531929).epsilon(1e-12));
    CHECK(score.error.value() == Approx(0.0015105303607331243).epsilon(1e-10));
    CHECK(score.undefined_neuroids == 0);
    CHECK(score.raw.dims.at(0).name == "split");
    CHECK(score.raw.dims.at(0).size == 10);
    CHECK(score.raw.dims.at(1).name == "neuroid");
}

TEST_CASE("a correlation of halves worked out by hand") {
    // Two repetitions of three stimuli, (1, 2, 3) and (1, 3, 2): r = 1/2 whichever half comes
    // first, corrected to 2/3.
    auto pair = core::take(three_stimuli(), "presentation", {0, 1, 4, 5, 8, 9});
    pair.values = std::vector<double>{1, 1, 1, 1, 2, 2, 3, 2, 3, 3, 2, 3};
    const auto score = consistency(pair);
    for (std::size_t split = 0; split < 10; ++split) {
        CHECK(raw_values(score)[2 * split] == Approx(2.0 / 3).epsilon(1e-14));
        CHECK(raw_values(score)[2 * split + 1] == Approx(1).epsilon(1e-14));
    }
    CHECK(score.value == Approx(5.0 / 6).epsilon(1e-14));
}

TEST_CASE("a missing presentation is left out of the average of its half") {
    // As above with NaN for stimulus 1 in repetition 2 of the first neuroid, and np.nanmean.
    auto assembly = three_stimuli();
    std::get<std::vector<double>>(assembly.values)[2 * 6] = missing;
    const auto score = consistency(assembly);
    check_raw(score, splits_of({0.9835175759506304, a[1]}, {0.9983050798766877, b[1]},
                               {0.9747803392626346, c[1]}));
    CHECK(score.value == Approx(0.9825663101897438).epsilon(1e-12));
    CHECK(score.error.value() == Approx(0.002682350560823755).epsilon(1e-10));
}

TEST_CASE("a half without any value of a stimulus leaves its neuroid out of that split") {
    // Neuroid 0 lacks stimulus 1 in repetitions 0 and 1: missing in the splits 01 | 23 alone.
    auto assembly = three_stimuli();
    std::get<std::vector<double>>(assembly.values)[2 * 4] = missing;
    std::get<std::vector<double>>(assembly.values)[2 * 5] = missing;
    const auto score = consistency(assembly);
    const std::vector<bool> is_01 = {true,  false, true,  true, true,
                                     false, false, false, true, false};
    for (std::size_t split = 0; split < 10; ++split) {
        CHECK(std::isnan(raw_values(score)[2 * split]) == is_01[split]);
        CHECK(!std::isnan(raw_values(score)[2 * split + 1]));
    }
    CHECK(score.undefined_neuroids == 1);
    CHECK(std::isfinite(score.value));
}

TEST_CASE("a stimulus that one half lacks altogether is named") {
    // s1 has only the repetitions 0 and 1.
    const auto few = core::take(three_stimuli(), "presentation", {0, 1, 2, 3, 4, 5, 8, 9, 10, 11});
    CHECK_THROWS_AS(consistency(few), InputError);
    CHECK_THROWS_WITH(consistency(few), Contains("'s1'"));
    // Which its labels tell.
    auto labels = few;
    labels.values = ventral::core::Values();
    CHECK_THROWS_WITH(ventral::metrics::check_halves(labels),
                      Contains("'s1' has no repetition in one half"));
    CHECK_NOTHROW(ventral::metrics::check_halves(three_stimuli()));
}

TEST_CASE("a label that keeps repetitions of a stimulus apart is named") {
    auto assembly = three_stimuli();
    std::vector<std::int64_t> sessions(assembly.dims[0].size, 1);
    sessions[0] = 2;
    assembly.coordinates.push_back({"session", "presentation", sessions});
    CHECK_THROWS_WITH(consistency(assembly),
                      Contains("'session' differs between presentations of stimulus 's0'") &&
                          Contains(drop_session + ", or select one value of it"));
}

TEST_CASE("a label that keeps repetitions apart in both halves is warned of") {
    CHECK(consistency(three_stimuli()).warnings.empty());
    std::vector<std::size_t> twice;
    for (std::size_t i = 0; i < 24; ++i) twice.push_back(i % 12);
    auto assembly = core::take(three_stimuli(), "presentation", twice);
    std::vector<std::int64_t> sessions(12, 1);
    sessions.resize(24, 2);
    assembly.coordinates.push_back({"session", "presentation", sessions});
    const auto warnings = consistency(assembly).warnings;
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Contains("'session' differs between presentations of the same") &&
                                Contains("if they are repetitions " + drop_session));
}

TEST_CASE("one repetition has no halves") {
    const auto single = core::take(three_stimuli(), "presentation", {0, 4, 8});
    CHECK_THROWS_AS(consistency(single), InputError);
    CHECK_THROWS_WITH(consistency(single), Contains("at least two repetitions"));
    auto without = three_stimuli();
    without.coordinates.erase(without.coordinates.begin() + 1);
    CHECK_THROWS_WITH(consistency(without), Contains("'repetition'"));
}

TEST_CASE("the order of presentations, dimensions and workers changes nothing") {
    const auto expected = consistency(three_stimuli());
    const auto mixed =
        core::take(three_stimuli(), "presentation", {11, 3, 7, 0, 10, 4, 1, 9, 5, 2, 8, 6});
    check_raw(consistency(mixed), raw_values(expected));
    CHECK(raw_values(consistency(core::transpose(three_stimuli(), {"neuroid", "presentation"}))) ==
          raw_values(expected));
    for (const std::size_t threads : {2U, 5U})
        CHECK(raw_values(consistency(three_stimuli(), threads)) == raw_values(expected));
}

TEST_CASE("raw values are in sorted order of the neuroids") {
    auto assembly = three_stimuli();
    assembly.coordinates[2].values = Texts{"n9", "n10"};
    const auto score = consistency(assembly);
    CHECK(core::texts(score.raw, "neuroid_id") == Texts{"n10", "n9"});
    CHECK(raw_values(score)[0] == Approx(a[1]).epsilon(1e-12));
    CHECK(raw_values(score)[1] == Approx(a[0]).epsilon(1e-12));
}

TEST_CASE("a neuroid that never changes has no consistency") {
    auto assembly = three_stimuli();
    for (std::size_t i = 0; i < 12; ++i)
        std::get<std::vector<double>>(assembly.values)[2 * i] = 0.25;
    const auto score = consistency(assembly);
    CHECK(score.undefined_neuroids == 1);
    CHECK(std::isnan(raw_values(score)[0]));
    CHECK(score.value == Approx((4 * a[1] + 2 * b[1] + 3 * c[1] + a[1]) / 10));
}

TEST_CASE("one stimulus has no correlation") {
    const auto one = core::take(three_stimuli(), "presentation", {0, 1, 2, 3});
    CHECK_THROWS_AS(consistency(one), InputError);
    CHECK_THROWS_WITH(consistency(one), Contains("at least two stimuli"));
}

TEST_CASE("recordings of several time bins have a consistency in each") {
    // Both bins are the three stimuli, the second one with NaN for a stimulus.
    auto timed = three_stimuli();
    const auto values = std::get<std::vector<double>>(timed.values);
    std::vector<double> both;
    for (const double value : values) both.insert(both.end(), {value, value});
    both[2 * 12 + 1] = missing;
    timed.values = both;
    timed.dims.push_back({"time_bin", 2});
    timed.coordinates.push_back({"time_bin_start", "time_bin", std::vector<std::int64_t>{90, 70}});
    core::Workers workers(2);
    const auto score = metrics::internal_consistency_temporal(timed, workers);
    auto second = three_stimuli();
    std::get<std::vector<double>>(second.values)[12] = missing;
    const auto first_value = consistency(second).value;
    const auto second_value = consistency(three_stimuli()).value;
    CHECK(std::get<std::vector<double>>(score.value_array->values) ==
          std::vector<double>{first_value, second_value});
    CHECK(score.value == Approx((first_value + second_value) / 2));
    REQUIRE(score.raw.dims.size() == 3);
    CHECK(score.raw.dims[0].name == "time_bin");
    CHECK(score.raw.dims[1].name == "split");
    CHECK_THROWS_WITH(consistency(timed), Contains("2 time bins"));
}

TEST_CASE("ceilings of time bins equal the reference's") {
    const auto expected = test::golden("ceilings/expected.internal_consistency_temporal.json");
    const auto path = test::golden_path("ceilings/temporal.nc");
    if (!expected || !path) return;
    core::Workers workers(2);
    const auto score = metrics::internal_consistency_temporal(io::read_assembly(*path), workers);
    const auto check = [](const core::Assembly& found, const nlohmann::json& golden) {
        REQUIRE(found.dims.size() == golden.at("dims").size());
        for (std::size_t i = 0; i < found.dims.size(); ++i) {
            CHECK(found.dims[i].name == golden.at("dims")[i].get<std::string>());
            CHECK(found.dims[i].size == golden.at("shape")[i]);
        }
        std::size_t i = 0;
        const auto& values = std::get<std::vector<double>>(found.values);
        const auto visit = [&](const auto& self, const nlohmann::json& node) -> void {
            if (node.is_array())
                for (const auto& entry : node) self(self, entry);
            else
                CHECK(test::is_golden(values.at(i++), node, 1e-12));
        };
        visit(visit, golden.at("values"));
        CHECK(i == values.size());
        for (const auto& [name, labels] : golden.at("coords").items())
            if (name != "split")
                CHECK(core::coordinate(found, name).dim == labels.at("dims")[0].get<std::string>());
    };
    check(*score.value_array, expected->at("value"));
    check(*score.error_array, expected->at("error"));
    check(score.raw, expected->at("raw"));
    CHECK(core::texts(score.raw, "time_bin_start") == Texts{"70", "90", "110"});
}

TEST_CASE("ceilings equal the reference's") {
    for (const std::string input : {"even", "odd", "unequal", "missing", "very_missing"})
        check_golden(input);
}
