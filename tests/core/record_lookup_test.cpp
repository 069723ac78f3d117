#include "core/record_lookup.hpp"

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("of several records of one key the last one is found") {
    std::vector<ScoreRecord> records(3);
    records[0].key = "a";
    records[1].key = "b";
    records[2].key = "a";
    const auto record_of = by_key(records);
    CHECK(record_of.size() == 2);
    CHECK(record_of.at("a") == &records[2]);
    CHECK(record_of.at("b") == &records[1]);
}
