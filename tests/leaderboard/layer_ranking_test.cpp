#include "leaderboard/layer_ranking.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::rank_layers;

namespace {

core::ScoreRecord layer_score(const std::string& layer, const std::string& benchmark,
                              double value) {
    auto record = test::scored(layer + benchmark, "m", benchmark);
    record.layer = layer;
    record.value = value;
    record.timing = {{"fit", 1}, {"features_and_gram", 5}, {"extraction", 3}};
    record.provenance["activations"] = "unit";
    return record;
}

std::string error_of(const std::vector<core::ScoreRecord>& planned,
                     const std::vector<core::ScoreRecord>& records) {
    try {
        rank_layers("m", planned, records);
    } catch (const core::InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the layer with the highest mean over the benchmarks is the best") {
    // Means 0.4, 0.5 and 0.45; the highest single score is of "a".
    const std::vector<core::ScoreRecord> records = {
        layer_score("a", "b1", 0.7), layer_score("b", "b1", 0.5), layer_score("c", "b1", 0.45),
        layer_score("a", "b2", 0.1), layer_score("b", "b2", 0.5), layer_score("c", "b2", 0.45)};
    const auto ranking = rank_layers("m", records, records);
    CHECK(ranking.model == "m");
    CHECK(ranking.benchmarks == std::vector<std::string>{"b1", "b2"});
    REQUIRE(ranking.layers.size() == 3);
    CHECK(ranking.layers[0].value == Approx(0.4));
    CHECK(ranking.best == 1);
    // Two errors of 0.01: √(0.0001 + 0.0001) / 2.
    CHECK(ranking.layers[0].error.value() == Approx(0.0070710678));
}

TEST_CASE("of equal layers the earlier one of the run is the best, NaN never is") {
    const std::vector<core::ScoreRecord> records = {
        layer_score("z", "b", std::nan("")), layer_score("y", "b", 0.25),
        layer_score("x", "b", 0.5), layer_score("a", "b", 0.5)};
    CHECK(rank_layers("m", records, records).best == 2);
    CHECK_THAT(error_of({records[0]}, {records[0]}), Catch::Contains("NaN"));
}

TEST_CASE("a layer that answers the opposite is worse than one that tells little") {
    auto opposite = layer_score("a", "b", 0.09);
    opposite.raw_value = -0.3;
    const std::vector<core::ScoreRecord> records = {opposite, layer_score("c", "b", 0.01)};
    const auto ranking = rank_layers("m", records, records);
    CHECK(ranking.best == 1);
    CHECK(ranking.layers[0].value == -0.09);
}

TEST_CASE("a Gram that two benchmarks share counts once, and the network apart from it") {
    auto first = layer_score("a", "b1", 0.7);
    auto second = layer_score("a", "b2", 0.7);
    auto ranking = rank_layers("m", {first, second}, {first, second});
    CHECK(ranking.layers[0].gram_s == 2);
    CHECK(ranking.layers[0].fit_s == 2);
    CHECK(ranking.extraction_s == 3);
    second.provenance["activations"] = "other images";
    ranking = rank_layers("m", {first, second}, {first, second});
    CHECK(ranking.layers[0].gram_s == 4);
    CHECK(ranking.extraction_s == 6);
}

TEST_CASE("missing and failed scores are an error that names the first and its reason") {
    const auto good = layer_score("a", "b", 0.5);
    const auto absent = layer_score("c", "b", 0.5);
    CHECK_THAT(error_of({good, absent}, {good}),
               Catch::Contains("1 score missing") && Catch::Contains("c on b is not scored"));
    auto failed = test::failed(absent.key, "m", "b");
    failed.layer = "c";
    CHECK_THAT(error_of({good, absent}, {good, failed}),
               Catch::Contains("c on b failed: no memory for K"));
}

TEST_CASE("a layer that a benchmark refuses is left out of the choice, and said to be") {
    const auto good = layer_score("a", "b", 0.5);
    const auto best_elsewhere = layer_score("c", "b2", 0.9);
    const auto refused = layer_score("c", "b", 0.5);
    auto failed = test::failed(refused.key, "m", "b");
    failed.layer = "c";
    failed.failure = core::Failure{core::FailureClass::deterministic, "8 features"};
    const auto ranking =
        rank_layers("m", {good, refused, best_elsewhere}, {good, failed, best_elsewhere});
    REQUIRE(ranking.layers.size() == 1);
    CHECK(ranking.layers[0].layer == "a");
    CHECK(ranking.benchmarks == std::vector<std::string>{"b"});
    CHECK(ranking.left_out == std::vector<std::string>{"c on b failed: 8 features"});
    // What else is missing of it does not matter any more.
    const auto without = rank_layers("m", {good, refused, best_elsewhere}, {good, failed});
    CHECK(without.layers.size() == 1);
    CHECK_THAT(error_of({refused, best_elsewhere}, {failed, best_elsewhere}),
               Catch::Contains("c on b failed: 8 features"));
}

TEST_CASE("of a benchmark that no layer can be scored on there is no choice on the others") {
    const auto good = layer_score("a", "b", 0.5);
    auto absent = test::failed("all of b2", "m", "b2");
    absent.layer = "";
    absent.failure = core::Failure{core::FailureClass::deterministic, "no such file"};
    CHECK_THAT(error_of({good, absent}, {good, absent}),
               Catch::Contains("b2 failed: no such file"));
    CHECK_THAT(error_of({good, absent}, {good}), Catch::Contains("b2 failed: no such file"));
}

TEST_CASE("other models are passed over, a model without scores is an error") {
    auto other = layer_score("z", "b", 0.9);
    other.model = "other";
    other.key = "other";
    const auto mine = layer_score("a", "b", 0.5);
    const auto ranking = rank_layers("m", {other, mine}, {mine, other});
    REQUIRE(ranking.layers.size() == 1);
    CHECK(ranking.layers[0].layer == "a");
    CHECK_THAT(error_of({other}, {other}), Catch::Contains("no score of it is planned"));
}

TEST_CASE("the table marks the best layer") {
    const std::vector<core::ScoreRecord> records = {layer_score("a", "b", 0.25),
                                                    layer_score("c", "b", 0.5)};
    CHECK(leaderboard::layer_ranking_text(rank_layers("m", records, records)) ==
          "m on b\n"
          "     layer  score            Gram s  fit s\n"
          "     a      0.2500 ± 0.0100  2.0000  1.0000\n"
          "  *  c      0.5000 ± 0.0100  2.0000  1.0000\n"
          "     all                     4.0000  2.0000\n"
          "  network: 6.0000 s (all times are of the runs that computed these scores)\n");
}
