#include "leaderboard/night_diff_text.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::night_diff;
using test::failed;
using test::scored;

namespace {

core::ScoreRecord worth(double value, core::ScoreRecord record) {
    record.value = value;
    return record;
}

}  // namespace

TEST_CASE("the text has a line for each change and a summary") {
    const auto diff = night_diff({scored("k", "m", "b"), scored("x", "n", "b"),
                                  scored("y", "o", "b"), scored("s", "s", "b")},
                                 {worth(0.625, scored("l", "m", "b")), failed("f", "n", "b"),
                                  scored("w", "p", "b"), scored("s", "s", "b")});
    CHECK(leaderboard::night_diff_text(diff, "nights/one") ==
          "Since nights/one\n"
          "  newly failed  model n on benchmark b, layer features.5: 0.5000 -> failed, "
          "out_of_memory: no memory for K\n"
          "  changed       model m on benchmark b, layer features.5: 0.5000 -> 0.6250 (+0.1250), "
          "inputs changed\n"
          "  new           model p on benchmark b, layer features.5: 0.5000\n"
          "  gone          model o on benchmark b, layer features.5: was 0.5000\n"
          "  1 newly failed, 1 changed, 1 new, 1 gone; 1 as before\n");
}

TEST_CASE("other inputs and the same value are told, and so is that nothing changed") {
    const auto same = night_diff({scored("k", "m", "b")}, {scored("l", "m", "b")});
    CHECK(leaderboard::night_diff_text(same, "x").find("0.5000 -> 0.5000 (the same)") !=
          std::string::npos);
    const auto none = night_diff({failed("k", "m", "b")}, {failed("k", "m", "b")});
    CHECK(leaderboard::night_diff_text(none, "x") ==
          "Since x\n  nothing changed; 1 as before (1 of them failed)\n");
}

TEST_CASE("the JSON has all digits, null for what is absent, and the counts") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto diff = night_diff({scored("k", "m", "b")}, {worth(0.75, scored("l", "m", "b")),
                                                           worth(nan, scored("w", "p", "b"))});
    CHECK(leaderboard::night_diff_json(diff, "x") ==
          R"({"since":"x","counts":{"other bits":0,"newly failed":0,"not computed":0,)"
          R"("changed":1,"cured":0,"new":1,"gone":0,"unchanged":0,"still failed":0},"changes":[)"
          R"({"kind":"changed","model":"m","benchmark":"b","layer":"features.5",)"
          R"("before":{"version":1,"status":"scored","value":0.5,"key":"k"},)"
          R"("now":{"version":1,"status":"scored","value":0.75,"key":"l"},)"
          R"("difference":0.25,"same_key":false,"reason":"inputs changed"},)"
          R"({"kind":"new","model":"p","benchmark":"b","layer":"features.5",)"
          R"("before":null,"now":{"version":1,"status":"scored","value":null,"key":"w"},)"
          R"("same_key":false,"reason":""}]})");
}
