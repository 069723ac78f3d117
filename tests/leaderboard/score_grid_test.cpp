#include "leaderboard/score_grid.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::score_grid;
using leaderboard::TextRow;

TEST_CASE("the best model comes first, models without a score last, ceilings below") {
    auto poor = test::scored("k1", "a", "b1");
    auto nan = test::scored("k2", "a", "b2");
    auto good = test::scored("k3", "z", "b2");
    const auto none = test::failed("k4", "c", "b1");
    poor.value = 0.25;
    nan.value = std::nan("");
    good.error = std::nullopt;
    good.ceiling->error = nan.ceiling->error = std::nullopt;
    const auto grid = score_grid({&poor, &nan, &good, &none});
    REQUIRE(grid);
    CHECK(*grid == std::vector<TextRow>{{"model", "layer", "b1", "b2"},
                                        {"z", "features.5", "-", "0.5000"},
                                        {"a", "features.5", "0.2500 ± 0.0100", "nan ± 0.0100"},
                                        {"c", "features.5", "failed", "-"},
                                        {"ceiling", "", "0.7200 ± 0.0200", "0.7200"}});
}

TEST_CASE("versions and slices are columns of their own, a cell holds one score") {
    auto first = test::scored("k1", "m", "b");
    auto second = test::scored("k2", "m", "b");
    CHECK_FALSE(score_grid({&first, &second}));
    second.version = 2;
    CHECK(score_grid({&first, &second})->front() == TextRow{"model", "layer", "b", "b v2"});
}

TEST_CASE("there is no row of ceilings where a benchmark has two") {
    auto first = test::scored("k1", "m", "b");
    auto second = test::scored("k2", "n", "b");
    CHECK(score_grid({&first, &second})->size() == 4);
    second.ceiling->value = 0.5;
    CHECK(score_grid({&first, &second})->size() == 3);
}

TEST_CASE("a list has a row for each score") {
    const auto scored = test::scored("k1", "m", "b");
    const auto failed = test::failed("k2", "n", "b");
    CHECK(leaderboard::score_list({&scored, &failed}) ==
          std::vector<TextRow>{
              {"model", "benchmark", "layer", "score", "raw", "ceiling", "status"},
              {"m", "b", "features.5", "0.5000 ± 0.0100", "0.6000", "0.7200 ± 0.0200", "scored"},
              {"n", "b", "features.5", "-", "-", "-", "failed"}});
}
