#include "models/readouts/readout_stimuli.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

core::StimulusSet three_stimuli(const core::Column& column) {
    core::StimulusSet stimuli;
    stimuli.stimulus_ids = {"a", "b", "c"};
    stimuli.columns = {{"object_name", std::vector<std::string>{"x", "", "x"}}, column};
    return stimuli;
}

void check_labels(const core::Values& labels) {
    models::check_fitting_stimuli(three_stimuli({"image_label", labels}), "fitting.csv");
}

}  // namespace

TEST_CASE("fitting stimuli have two labels or more, in words or in numbers") {
    CHECK_NOTHROW(check_labels(std::vector<std::string>{"cat", "dog", "cat"}));
    CHECK_NOTHROW(check_labels(std::vector<std::int64_t>{1, 1, 2}));
    CHECK_NOTHROW(check_labels(std::vector<double>{0.5, 1, 1.5}));
}

TEST_CASE("fitting stimuli without labels are an error that names their table") {
    const auto bare = three_stimuli({"label", std::vector<std::string>{"cat", "dog", "cat"}});
    CHECK_THROWS_WITH(models::check_fitting_stimuli(bare, "fitting.csv"),
                      StartsWith("fitting.csv: has no column 'image_label'"));
}

TEST_CASE("a fitting stimulus without its label is named") {
    const auto message = StartsWith("fitting.csv: stimulus 'b' has no image_label");
    CHECK_THROWS_WITH(check_labels(std::vector<std::string>{"cat", "", "dog"}), message);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(check_labels(std::vector<double>{1, missing, 2}), message);
}

TEST_CASE("a single label is nothing to tell apart") {
    CHECK_THROWS_WITH(check_labels(std::vector<std::string>{"cat", "cat", "cat"}),
                      StartsWith("fitting.csv: has one image_label only, 'cat'"));
}

TEST_CASE("a triplet of a stimulus that is not shown is named, with a guess at what was meant") {
    auto stimuli = three_stimuli({"image_label", std::vector<std::int64_t>{1, 1, 2}});
    stimuli.stimulus_ids = {"img1", "img2", "img3"};
    const std::vector<models::Triplet> known = {{"img3", "img1", "img2"}};
    CHECK_NOTHROW(models::check_triplets(known, stimuli, "triplets.json"));
    const std::vector<models::Triplet> unknown = {known[0], {"img1", "img2", "im3"}};
    CHECK_THROWS_WITH(models::check_triplets(unknown, stimuli, "triplets.json"),
                      StartsWith("triplets.json: triplet 2 names the stimulus 'im3'") &&
                          Contains("did you mean 'img3'"));
}

TEST_CASE("a column that would hide the values of what is read out is an error") {
    const auto named = [](const std::string& name) {
        return three_stimuli({name, std::vector<std::int64_t>{1, 2, 3}});
    };
    CHECK_NOTHROW(models::check_columns(named("truth"), "stimuli.csv"));
    CHECK_THROWS_WITH(models::check_columns(named("data"), "stimuli.csv"),
                      StartsWith("stimuli.csv: a column cannot be named 'data'"));
}
