#include "leaderboard/agreement.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::disagreement;
using leaderboard::is_repetition;
using test::scored;

TEST_CASE("equal records agree and are repetitions, also where they are NaN or have no error") {
    auto record = scored("k", "m", "b");
    CHECK(is_repetition(record, record));
    CHECK_FALSE(disagreement(record, record));
    record.value = std::nan("");
    record.error = std::nullopt;
    auto other = record;
    other.value = -*record.value;
    CHECK(is_repetition(record, other));
    CHECK_FALSE(disagreement(record, other));
}

TEST_CASE("one last bit is a conflict for one fingerprint and none for two") {
    const auto record = scored("k", "m", "b");
    auto other = record;
    other.value = std::nextafter(*record.value, 1.0);
    CHECK_FALSE(is_repetition(record, other));
    CHECK(disagreement(record, other));
    other.provenance["fingerprint"] = "f2";
    CHECK_FALSE(is_repetition(record, other));
    CHECK_FALSE(disagreement(record, other));
}

TEST_CASE("minus zero is not the bits of zero") {
    auto record = scored("k", "m", "b");
    auto other = record;
    record.value = 0.0;
    other.value = -0.0;
    CHECK(disagreement(record, other));
    other.provenance["fingerprint"] = "f2";
    CHECK_FALSE(disagreement(record, other));
}

TEST_CASE("scores of a network on two instruction sets may be as far apart as its activations") {
    auto record = scored("k", "m", "b");
    record.provenance["device"] = "cpu";
    auto other = record;
    other.provenance["fingerprint"] = "f2";
    other.value = record.value.value() + 1e-7;
    CHECK_FALSE(disagreement(record, other));
    other.value = record.value.value() + 1.1e-5;
    CHECK_THAT(disagreement(record, other).value(), Catch::Contains("must agree to 1e-5"));
}

TEST_CASE("scores of two fingerprints may be 1e-9 apart and not more") {
    const auto record = scored("k", "m", "b");
    auto other = record;
    other.provenance["fingerprint"] = "f2";
    other.ceiling->value = record.ceiling->value + 0.9e-9;
    CHECK_FALSE(disagreement(record, other));
    other.ceiling->value = record.ceiling->value + 1.1e-9;
    CHECK(disagreement(record, other));
    other = record;
    other.provenance["fingerprint"] = "f2";
    other.raw_value = std::nan("");
    CHECK(disagreement(record, other));
    other.raw_value = std::nullopt;
    CHECK(disagreement(record, other));
}

TEST_CASE("the slices of a score must agree too") {
    auto record = scored("k", "m", "b");
    record.slices = {{"0 to 70 ms", 0.25, 0.5, {}, {}, {}}};
    auto other = record;
    CHECK(is_repetition(record, other));
    other.slices[0].raw_value = 0.5625;
    CHECK_THAT(disagreement(record, other).value(),
               Catch::Contains("raw value of 0 to 70 ms is 0.5 on"));
    other.slices.clear();
    CHECK_THAT(disagreement(record, other).value(),
               Catch::Contains("number of slices is 1 on host h1 and 0 on host h1"));
}

TEST_CASE("a conflict names score, quantity, both values, both hosts and the key") {
    auto record = scored("k123", "alexnet", "V4-pls");
    auto other = record;
    other.error = 0.25;
    other.provenance["host"] = "h2";
    CHECK(disagreement(record, other) ==
          "model alexnet on benchmark V4-pls, layer features.5: error is 0.01 on "
          "host h1 and 0.25 on host h2 (equal fingerprints must give equal bits), key k123");
    other.raw = core::ArrayPlace{"night-r0.1f.raw", 0, 8, 0};
    CHECK_THAT(disagreement(record, other).value(),
               Catch::Contains("on host h1 and 0.25 on host h2 (night-r0.1f.raw) (equal"));
}

TEST_CASE(
    "raw values of one fingerprint must be the same to the bit, where both have kept theirs") {
    auto record = scored("k", "m", "b");
    record.raw = core::ArrayPlace{"a.raw", 0, 10, 1234};
    auto other = record;
    other.raw = core::ArrayPlace{"b.raw", 80, 10, 1234};
    CHECK(is_repetition(record, other));
    CHECK_FALSE(disagreement(record, other));
    other.raw->crc = 4321;
    CHECK_FALSE(is_repetition(record, other));
    CHECK_THAT(disagreement(record, other).value(), Catch::Contains("raw values differ"));
    other.provenance["fingerprint"] = "f2";
    CHECK_FALSE(disagreement(record, other));
    other = record;
    other.raw.reset();
    CHECK_FALSE(disagreement(record, other));
}
