#include "leaderboard/leaderboard_text.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::leaderboard_text;

namespace {

leaderboard::Night night() {
    leaderboard::Night all;
    all.records = {test::scored("k1", "m", "b"), test::failed("k2", "n", "b"),
                   test::scored("k3", "m", "c"), test::scored("k4", "m", "b")};
    all.records[2].parent = "V4/late";
    all.records[3].committed = false;
    all.records[3].layer = "features.9";
    return all;
}

}  // namespace

TEST_CASE("the text has tree, other layers, failures in full, and counts") {
    CHECK(leaderboard_text(night(), 80) ==
          "Ranking (averages of the committed layers' scores; a missing one counts as 0)\n"
          "  rank  model  average  late    missing\n"
          "  1     m      0.5000   0.5000  0 of 2\n"
          "  -     n      -        -       2 of 2\n"
          "\n"
          "Leaderboard (score ± error; layers that the models commit to)\n"
          "  V4\n"
          "    model    layer       b\n"
          "    m        features.5  0.5000 ± 0.0100\n"
          "    n        features.5  failed\n"
          "    ceiling              0.7200 ± 0.0200\n"
          "    late\n"
          "      model    layer       c\n"
          "      m        features.5  0.5000 ± 0.0100\n"
          "      ceiling              0.7200 ± 0.0200\n"
          "\n"
          "Other layers (which the model does not commit to the region)\n"
          "  model  benchmark  layer       score            raw     ceiling          status\n"
          "  m      b          features.9  0.5000 ± 0.0100  0.6000  0.7200 ± 0.0200  scored\n"
          "\n"
          "Failed\n"
          "  model n on benchmark b, layer features.5: out_of_memory\n"
          "    no memory for K\n"
          "    8 GiB\n"
          "\n"
          "4 scores: 3 scored, 1 failed; normalisation: explained_variance\n");
}

TEST_CASE("one model, or one benchmark, is not ranked") {
    auto all = night();
    all.records.erase(all.records.begin() + 1);
    CHECK_THAT(leaderboard_text(all, 80), Catch::StartsWith("Leaderboard"));
    all = night();
    all.records.erase(all.records.begin() + 2);
    CHECK_THAT(leaderboard_text(all, 80), Catch::StartsWith("Leaderboard"));
}

TEST_CASE("benchmarks without a parent have a heading beside those with one") {
    auto all = night();
    all.records[0].parent = all.records[1].parent = "";
    CHECK_THAT(leaderboard_text(all, 80),
               Catch::Contains("commit to)\n"
                               "  (no parent)\n"
                               "    model    layer       b\n") &&
                   Catch::Contains("  V4\n    late\n      model    layer       c\n"));
    all.records[2].parent = "(no parent)";
    CHECK_THAT(leaderboard_text(all, 80),
               Catch::Contains("  (no parent)\n    model    layer       b                c\n"));
    all.records[2].parent = "";
    CHECK_THAT(leaderboard_text(all, 80), Catch::Contains("commit to)\n  model    layer"));
}

TEST_CASE("scores that failed for one reason stand together above it") {
    auto all = night();
    auto other = all.records[0];
    other.model = "o";
    other.status = core::ScoreStatus::failed;
    other.failure = core::Failure{core::FailureClass::transient, "another reason"};
    auto same = other;
    same.model = "p";
    same.failure = core::Failure{core::FailureClass::out_of_memory, "no memory for K\n8 GiB"};
    all.records.insert(all.records.end(), {other, same});
    CHECK_THAT(leaderboard_text(all, 80),
               Catch::Contains("Failed\n"
                               "  model n on benchmark b, layer features.5: out_of_memory\n"
                               "  model p on benchmark b, layer features.5: out_of_memory\n"
                               "    no memory for K\n"
                               "    8 GiB\n"
                               "  model o on benchmark b, layer features.5: transient\n"
                               "    another reason\n"));
}

TEST_CASE("the numbers of a score over time stand one a line") {
    auto all = night();
    all.records[0].slices = {{"70 to 90 ms", 0.25, 0.5, 0.125, 1, {}},
                             {"90 to 110 ms", 0.75, 0.75, {}, {}, {}}};
    CHECK_THAT(
        leaderboard_text(all, 80),
        Catch::Contains(
            "Slices (scores that are vectors; above stand their means)\n"
            "  model  benchmark  layer       slice         score            raw     ceiling\n"
            "  m      b          features.5  70 to 90 ms   0.2500 ± 0.1250  0.5000  1.0000\n"
            "  m      b          features.5  90 to 110 ms  0.7500           0.7500  -\n"
            "\n"
            "Failed\n"));
}

TEST_CASE("a grid that is too wide becomes a list") {
    const auto text = leaderboard_text(night(), 30);
    CHECK_THAT(text, Catch::Contains("    model  benchmark  layer       score "));
    CHECK_THAT(text, !Catch::Contains("    ceiling              0.7200"));
}

TEST_CASE("hints stand below the tables") {
    auto all = night();
    all.records[0].ceiling->value = 2;
    CHECK_THAT(leaderboard_text(all, 80), Catch::Contains("Hints\n  b: the ceiling 2.0000 is "));
}

TEST_CASE("an empty night is no score") { CHECK(leaderboard_text({}, 80) == "0 scores\n"); }
