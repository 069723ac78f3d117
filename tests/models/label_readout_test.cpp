#include "models/readouts/label_readout.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/readout_goldens.hpp"
#include "models/readouts/imagenet_classes.hpp"
#include "models/small_features.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using models::choose_imagenet_synsets;
using models::choose_labels;

namespace {

/// One presentation whose logits are 0 but for these classes.
template <typename Real>
core::Assembly logits_with(const std::vector<std::pair<std::size_t, Real>>& classes) {
    std::vector<Real> values(models::imagenet_classes, 0);
    for (const auto& [index, logit] : classes) values[index] = logit;
    return test::small_features<Real>({"a"}, values);
}

std::string choice(const core::Assembly& choices) {
    return std::get<std::vector<std::string>>(choices.values).front();
}

}  // namespace

TEST_CASE("labels are the reference's, with its mean probabilities") {
    const auto logits = test::golden_assembly("readouts/logits.nc");
    const auto expected = test::golden("readouts/expected.labels.json");
    if (!logits || !expected) return;
    for (const std::string kind : {"geirhos", "words"}) {
        const auto& golden = expected->at(kind);
        const auto read =
            choose_labels(*logits, golden.at("choice_labels").get<std::vector<std::string>>());
        CHECK(std::get<std::vector<std::string>>(read.choices.values) ==
              golden.at("choices").get<std::vector<std::string>>());
        CHECK(test::largest_gap(read.mean_probabilities.values, golden.at("mean_probability")) ==
              0);
    }
}

TEST_CASE("classes of ImageNet are the reference's") {
    const auto logits = test::golden_assembly("readouts/logits.nc");
    const auto expected = test::golden("readouts/expected.labels.json");
    if (!logits || !expected) return;
    const auto choices = choose_imagenet_synsets(*logits);
    const auto& golden = expected->at("imagenet");
    CHECK(std::get<std::vector<std::string>>(choices.values) ==
          golden.at("choices").get<std::vector<std::string>>());
    CHECK(std::get<std::vector<std::int64_t>>(core::coordinate(choices, "logit").values) ==
          golden.at("logit").get<std::vector<std::int64_t>>());
}

TEST_CASE("every label stands for the reference's classes") {
    const auto expected = test::golden("readouts/expected.labels.json");
    if (!expected) return;
    for (const auto& [label, indices] : expected->at("indices").items()) {
        INFO(label);
        CHECK(models::imagenet_indices(label) == indices.get<std::vector<std::size_t>>());
    }
    CHECK(expected->at("indices").size() == 36);
}

TEST_CASE("a label's probability is the mean over its classes") {
    // Logits ln 4 of both bicycles and ln 3 of one of three cars, else 0: Σ exp = 997 + 8 + 3.
    const double sum = 1008;
    const auto logits =
        logits_with<double>({{444, std::log(4)}, {671, std::log(4)}, {511, std::log(3)}});
    const auto read = choose_labels(logits, {"car", "Bicycle"});
    const auto means = std::get<std::vector<double>>(read.mean_probabilities.values);
    CHECK(means[0] == Approx(5 / sum / 3).epsilon(1e-14));
    CHECK(means[1] == Approx(4 / sum).epsilon(1e-14));
    CHECK(choice(read.choices) == "Bicycle");
}

TEST_CASE("of equally likely labels the first is chosen") {
    CHECK(choice(choose_labels(logits_with<float>({}), {"oven", "knife"}).choices) == "oven");
    CHECK(choice(choose_labels(logits_with<float>({}), {"knife", "oven"}).choices) == "knife");
    CHECK(choice(choose_imagenet_synsets(logits_with<float>({{5, 2.0F}, {3, 2.0F}}))) ==
          "n01491361");
}

TEST_CASE("of float64 the last bits of pairwise means decide between equally likely labels") {
    // By NumPy the mean of 109 times 0.001, as of the classes of dogs, is 0.001 and two units of
    // its last place if it is added up by pairs, more than the mean of 49; in turn they are the
    // same.
    CHECK(choice(choose_labels(logits_with<double>({}), {"bird", "dog"}).choices) == "dog");
}

TEST_CASE("logits that overflow choose the label that they belong to, as NaN") {
    const auto read = choose_labels(logits_with<float>({{499, 100.0F}}), {"oven", "knife"});
    CHECK(choice(read.choices) == "knife");
    CHECK(std::isnan(std::get<std::vector<float>>(read.mean_probabilities.values)[1]));
}

TEST_CASE("a choice carries the coordinates of its presentation") {
    const auto choices = choose_labels(logits_with<float>({{499, 1.0F}}), {"knife"}).choices;
    CHECK(choices.dims[0].name == "choice");
    CHECK(choices.dims[1].name == "presentation");
    CHECK(core::texts(choices, "stimulus_id") == std::vector<std::string>{"a"});
    CHECK(core::texts(choices, "label") == std::vector<std::string>{"knife"});
}

TEST_CASE("what was chosen takes the place of a label that the stimuli had") {
    auto logits = logits_with<float>({{499, 1.0F}});
    for (const std::string name : {"label", "synset", "logit", "choice"})
        logits.coordinates.push_back({name, "presentation", std::vector<std::string>{"old"}});
    const auto labels = choose_labels(logits, {"knife"});
    CHECK(core::texts(labels.choices, "label") == std::vector<std::string>{"knife"});
    CHECK(labels.choices.coordinates.size() == 4);
    CHECK(core::texts(labels.mean_probabilities, "choice") == std::vector<std::string>{"knife"});
    const auto synsets = choose_imagenet_synsets(logits);
    CHECK(core::texts(synsets, "label") == std::vector<std::string>{"n03041632"});
    CHECK(core::texts(synsets, "synset") == core::texts(synsets, "label"));
    CHECK(std::get<std::vector<std::int64_t>>(core::coordinate(synsets, "logit").values) ==
          std::vector<std::int64_t>{499});
    CHECK(synsets.coordinates.size() == 4);
}

TEST_CASE("labels and logits that cannot be read are errors") {
    const auto logits = logits_with<float>({});
    CHECK_THROWS_WITH(choose_labels(logits, {"knive"}), Contains("did you mean 'knife'"));
    CHECK_THROWS_AS(choose_labels(logits, {}), core::InputError);
    CHECK_THROWS_WITH(choose_labels(test::small_features<float>({"a"}, {1, 2}), {"knife"}),
                      Contains("features.nc: has 2 neuroids"));
    CHECK_THROWS_WITH(
        choose_labels(logits_with<float>({{7, std::numeric_limits<float>::quiet_NaN()}}),
                      {"knife"}),
        Contains("stimulus 'a'"));
}
