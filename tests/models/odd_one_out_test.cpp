#include "models/readouts/odd_one_out.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/readout_goldens.hpp"
#include "models/small_features.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using models::choose_odd_ones;
using models::Similarity;
using models::Triplet;

namespace {

std::vector<std::string> chosen(const core::Assembly& choices) {
    return std::get<std::vector<std::string>>(choices.values);
}

/// a and b point the same way, c is long and to the side.
core::Assembly three_stimuli() {
    return test::small_features<double>({"a", "b", "c"}, {1, 0, 2, 0, 3, 4});
}

}  // namespace

TEST_CASE("odd ones are the reference's") {
    const auto features = test::golden_assembly("readouts/odd_features.nc");
    const auto expected = test::golden("readouts/expected.odd_one_out.json");
    if (!features || !expected) return;
    const auto triplets = expected->at("triplets").get<std::vector<Triplet>>();
    const auto dot = choose_odd_ones(*features, triplets, Similarity::dot);
    CHECK(chosen(dot) == expected->at("dot").get<std::vector<std::string>>());
    CHECK(core::texts(dot, "stimulus_id") ==
          expected->at("stimulus_id").get<std::vector<std::string>>());
    CHECK(chosen(choose_odd_ones(*features, triplets, Similarity::cosine)) ==
          expected->at("cosine").get<std::vector<std::string>>());
}

TEST_CASE("the stimulus that the most similar pair leaves over is the odd one") {
    // Dot products: ab = 2, ac = 3, bc = 6. Cosines: ab = 1, ac = bc = 0.6.
    const std::vector<Triplet> triplets = {{"a", "b", "c"}, {"c", "a", "b"}};
    CHECK(chosen(choose_odd_ones(three_stimuli(), triplets, Similarity::dot)) ==
          std::vector<std::string>{"a", "a"});
    CHECK(chosen(choose_odd_ones(three_stimuli(), triplets, Similarity::cosine)) ==
          std::vector<std::string>{"c", "c"});
}

TEST_CASE("of equally similar pairs the first counts") {
    const auto alike = test::small_features<float>({"a", "b", "c"}, {1, 1, 1});
    CHECK(chosen(choose_odd_ones(alike, {{"a", "b", "c"}, {"b", "c", "a"}}, Similarity::dot)) ==
          std::vector<std::string>{"c", "a"});
}

TEST_CASE("a stimulus counts by its first presentation, in whatever order they come") {
    const auto features =
        test::small_features<double>({"c", "b", "a", "b"}, {3, 4, 2, 0, 1, 0, 100, 100});
    CHECK(chosen(choose_odd_ones(features, {{"a", "b", "c"}}, Similarity::cosine)) ==
          std::vector<std::string>{"c"});
}

TEST_CASE("numbers are chosen as numbers, and whole features are as good as others") {
    auto features = test::small_features<std::int64_t>({"", "", ""}, {1, 0, 2, 0, 3, 4});
    const std::vector<Triplet> triplets = {{"1", "20", "3"}, {"3", "1", "20"}};
    for (const core::Values& ids : {core::Values(std::vector<std::int64_t>{1, 20, 3}),
                                    core::Values(std::vector<double>{1, 20, 3})}) {
        features.coordinates[0].values = ids;
        CHECK(choose_odd_ones(features, triplets, Similarity::cosine).values ==
              core::take(ids, {2, 2}));
    }
}

TEST_CASE("a triplet of an unknown stimulus is an error, and so is none") {
    CHECK_THROWS_WITH(choose_odd_ones(three_stimuli(), {{"a", "b", "d"}}, Similarity::dot),
                      Contains("features.nc: has no features of stimulus 'd'"));
    CHECK_THROWS_AS(choose_odd_ones(three_stimuli(), {}, Similarity::dot), core::InputError);
}
