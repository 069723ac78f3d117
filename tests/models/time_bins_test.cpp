#include "models/time_bins.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "core/time_bin.hpp"
#include "models/readout_goldens.hpp"
#include "models/small_features.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using models::align_time_bins;
using models::in_time_bins;
using models::time_bin_weights;
using models::TimeAlignment;

namespace {

core::TimeBins bins_in(const nlohmann::json& pairs) {
    core::TimeBins bins;
    for (const auto& pair : pairs) bins.push_back({pair[0], pair[1]});
    return bins;
}

TimeAlignment alignment_of(const nlohmann::json& mode) {
    return mode == "center" ? TimeAlignment::center : TimeAlignment::portion;
}

/// One presentation of one neuroid with 1 in 0–40 ms, 5 in 40–80 ms.
core::Assembly two_bins() {
    auto features = test::small_features<double>({"s"}, {1, 5});
    features.dims[1].name = "time_bin";
    features.dims.push_back({"neuroid", 1});
    features.coordinates.push_back(
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{0, 40}});
    features.coordinates.push_back({"time_bin_end", "time_bin", std::vector<std::int64_t>{40, 80}});
    return features;
}

std::vector<double> values(const core::Assembly& assembly) {
    return core::as_float64(assembly.values);
}

}  // namespace

TEST_CASE("weights of time bins are the reference's") {
    const auto expected = test::golden("temporal/expected.time_align.json");
    if (!expected) return;
    for (const auto& example : *expected) {
        INFO(example.dump());
        const auto weights =
            time_bin_weights(bins_in(example.at("source")), bins_in(example.at("target")),
                             alignment_of(example.at("mode")));
        CHECK(weights == example.at("belong_to").get<std::vector<std::vector<double>>>());
    }
    CHECK(expected->size() == 8);
}

TEST_CASE("aligned recordings are the reference's") {
    const nlohmann::json target = {{10, 90}, {0, 40}, {70, 170}, {0, 240}};
    for (const std::string type : {"float32", "float64"})
        for (const std::string mode : {"portion", "center"}) {
            const auto recording = test::golden_assembly("temporal/recording_" + type + ".nc");
            const auto expected = test::golden("temporal/expected.assembly_time_align-" + type +
                                               "-" + mode + ".json");
            if (!recording || !expected) return;
            INFO(type << ", " << mode);
            const auto aligned = align_time_bins(*recording, bins_in(target), alignment_of(mode));
            CHECK(core::type_name(aligned.values) == type);
            CHECK(test::largest_gap(aligned.values, expected->at("values")) <=
                  (type == "float32" ? 0 : 1e-15));
            for (const std::string name : {"time_bin_start", "time_bin_end"})
                CHECK(
                    std::get<std::vector<std::int64_t>>(core::coordinate(aligned, name).values) ==
                    expected->at("coords").at(name).at("values").get<std::vector<std::int64_t>>());
            CHECK(core::find_coordinate(aligned, "stimulus_id"));
        }
}

TEST_CASE("a static model repeats its activations as the reference does") {
    const auto responses = test::golden_assembly("temporal/static.nc");
    const auto one = test::golden("temporal/expected.temporal_aligned-1.json");
    const auto three = test::golden("temporal/expected.temporal_aligned-3.json");
    if (!responses || !one || !three) return;
    const auto squeezed = in_time_bins(*responses, {{70, 170}});
    CHECK(!core::has_dimension(squeezed, "time_bin"));
    CHECK(test::largest_gap(squeezed.values, one->at("values")) == 0);
    const auto repeated = in_time_bins(*responses, {{90, 110}, {110, 130}, {70, 90}});
    CHECK(repeated.dims.back().name == "time_bin");
    CHECK(test::largest_gap(repeated.values, three->at("values")) == 0);
    CHECK(core::texts(repeated, "time_bin_start") == std::vector<std::string>{"70", "90", "110"});
    CHECK(core::texts(repeated, "time_bin_end") == std::vector<std::string>{"90", "110", "130"});
}

TEST_CASE("a temporal model is averaged into the bins that are asked for") {
    // 20–60 ms: half of each bin. 40–50 ms: the second alone.
    const auto aligned = in_time_bins(two_bins(), {{20, 60}, {40, 50}});
    CHECK(values(aligned) == std::vector<double>{3, 5});
    CHECK(aligned.dims[1].name == "neuroid");
    const auto one = in_time_bins(two_bins(), {{0, 80}});
    CHECK(values(one) == std::vector<double>{3});
    CHECK(!core::has_dimension(one, "time_bin"));
}

TEST_CASE("edges of time bins that are not whole stay so") {
    const auto repeated =
        in_time_bins(test::small_features<float>({"s"}, {1}), {{0, 12.5}, {12.5, 25}});
    CHECK(std::get<std::vector<double>>(core::coordinate(repeated, "time_bin_end").values) ==
          std::vector<double>{12.5, 25});
}

TEST_CASE("a bin that was not recorded is an error that names it") {
    CHECK_THROWS_WITH(align_time_bins(two_bins(), {{40, 81}}), Contains("40 to 81 ms"));
    CHECK_THROWS_WITH(align_time_bins(two_bins(), {{-1, 40}}), Contains("-1 to 40 ms"));
    CHECK_THROWS_WITH(align_time_bins(two_bins(), {{80, 90}}, TimeAlignment::center),
                      Contains("from 0 to 80 ms"));
    CHECK_THROWS_WITH(align_time_bins(two_bins(), {{20, 10}}), Contains("ends before it begins"));
    CHECK_THROWS_AS(in_time_bins(two_bins(), {}), core::InputError);
}
