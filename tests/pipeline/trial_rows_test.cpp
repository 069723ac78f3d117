#include "pipeline/extraction/trial_rows.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

constexpr std::size_t images = 5;
constexpr std::size_t trials = 3;

core::StimulusSet five_images() {
    core::StimulusSet set;
    set.identifier = "set";
    for (std::size_t i = 0; i < images; ++i) set.stimulus_ids.push_back("s" + std::to_string(i));
    set.files = set.stimulus_ids;
    set.visual_degrees.assign(images, 8.0);
    set.columns = {{"trial", std::vector<std::int64_t>{7, 8, 9, 10, 11}}};
    return set;
}

const std::vector<stimuli::Microsaccade> shifts = {{0, 0, 0, 0}, {1, 2, 3, 4}, {5, 6, 7, 8}};

}  // namespace

TEST_CASE("the trials of a stimulus are rows below one another that say where each looked") {
    const auto rows = pipeline::with_trials(five_images(), shifts);
    REQUIRE(rows.stimulus_ids.size() == images * trials);
    CHECK(rows.stimulus_ids[2] == "s0");
    CHECK(rows.stimulus_ids[3] == "s1");
    CHECK(rows.files[14] == "s4");
    CHECK(rows.visual_degrees.size() == images * trials);
    REQUIRE(rows.columns.size() == 6);
    CHECK(rows.columns[0].name == "trial");
    CHECK(std::get<std::vector<std::int64_t>>(rows.columns[0].values)[5] == 2);
    const std::vector<std::string> names = {"x_pixels", "y_pixels", "x_degrees", "y_degrees"};
    for (std::size_t c = 0; c < names.size(); ++c) {
        CHECK(rows.columns[1 + c].name == "microsaccade_shift_" + names[c]);
        CHECK(std::get<std::vector<double>>(rows.columns[1 + c].values)[4] ==
              static_cast<double>(1 + c));
    }
    // The stimuli's own column is still there, behind.
    CHECK(std::get<std::vector<std::int64_t>>(rows.columns[5].values)[3] == 8);
}
