#include "leaderboard/cell_text.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::rounded;

TEST_CASE("people read four decimals, and all digits of what four decimals would hide") {
    CHECK(rounded(0.123456) == "0.1235");
    CHECK(rounded(-1.0) == "-1.0000");
    CHECK(rounded(0.0) == "0.0000");
    CHECK(rounded(1e-7) == "1.0e-07");
    CHECK(rounded(0.00047812680535642754) == "0.0005");
    CHECK(rounded(0.000047812680535642754) == "4.8e-05");
    CHECK(rounded(2.5e8) == "2.5e+08");
    CHECK(rounded(std::nan("")) == "nan");
    CHECK(rounded(std::nullopt) == "-");
    CHECK(rounded(0.5, 0.01) == "0.5000 ± 0.0100");
    CHECK(rounded(0.5, std::nullopt) == "0.5000");
}

TEST_CASE("a score without a value shows its status") {
    auto record = test::scored("k", "m", "b");
    CHECK(leaderboard::score_text(record) == "0.5000 ± 0.0100");
    CHECK(leaderboard::score_text(test::failed("k", "m", "b")) == "failed");
    record.status = core::ScoreStatus::not_applicable;
    record.value = std::nan("");
    CHECK(leaderboard::score_text(record) == "not_applicable");
}

TEST_CASE("ceilings and benchmarks show what tells them apart") {
    auto record = test::scored("k", "m", "b");
    CHECK(leaderboard::ceiling_text(record) == "0.7200 ± 0.0200");
    CHECK(leaderboard::benchmark_text(record) == "b");
    record.ceiling = std::nullopt;
    record.version = 2;
    CHECK(leaderboard::ceiling_text(record) == "-");
    CHECK(leaderboard::benchmark_text(record) == "b v2");
}
