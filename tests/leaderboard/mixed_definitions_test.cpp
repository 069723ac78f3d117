#include "leaderboard/mixed_definitions.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::mixed_definitions;

TEST_CASE("scores of one benchmark that are of different definitions are warned of") {
    auto newer = test::scored("new", "m1", "b");
    newer.version = 2;
    newer.ceiling->value = 0.8;
    const auto warnings = mixed_definitions({newer, test::scored("old", "m2", "b"),
                                             test::scored("another", "m3", "b"),
                                             test::scored("other benchmark", "m1", "c")});
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Catch::StartsWith("benchmark 'b': ") &&
                                Catch::Contains("(version 1, ceiling 0.72: 2 scores; "
                                                "version 2, ceiling 0.8: 1 score)"));
    newer = test::scored("new", "m1", "b");
    newer.parent = "IT";
    CHECK(mixed_definitions({newer, test::scored("old", "m2", "b")}).size() == 1);
    newer.parent = "V4";
    newer.normalisation = "ceil_score";
    CHECK(mixed_definitions({newer, test::scored("old", "m2", "b")}).size() == 1);
}

TEST_CASE("scores of other stimuli, recordings or parameters are of different definitions") {
    const std::string part = GENERATE("stimuli", "recordings", "selection", "metric");
    auto one = test::scored("one", "m1", "b");
    auto other = test::scored("other", "m2", "b");
    one.provenance[part] = "0123456789";
    other.provenance[part] = "abcdefghij";
    const auto warnings = mixed_definitions({one, other});
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0],
               Catch::Contains("(" + part + " 01234567: 1 score; " + part + " abcdefgh: 1 score)"));
    other.provenance[part] = one.provenance[part];
    CHECK(mixed_definitions({one, other}).empty());
}

TEST_CASE("scores that can be compared are not warned of") {
    auto other_host = test::scored("host", "m1", "b");
    other_host.ceiling->value += 1e-12;
    auto failed = test::failed("failed", "m3", "b");
    failed.version = 2;
    CHECK(mixed_definitions({other_host, test::scored("b", "m2", "b"), failed}).empty());
    auto again = test::scored("again", "m2", "b");
    again.version = 2;
    auto before = test::scored("before", "m2", "b");
    before.provenance["recorded"] = "2026-01-01T00:00:00Z";
    again.provenance["recorded"] = "2026-01-02T00:00:00Z";
    CHECK(mixed_definitions({again, before}).empty());
}
