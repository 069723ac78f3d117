#include "leaderboard/group_name.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::group_name;

TEST_CASE("a group's name is readable and has no character that netCDF refuses") {
    std::set<std::string> taken;
    auto record = test::scored("k", "é/net", "V4 pls");
    record.layer = "a+b";
    CHECK(group_name(record, taken) == "___net__V4_pls__a_b");
    record.model = "-x";
    CHECK(group_name(record, taken) == "_x__V4_pls__a_b");
}

TEST_CASE("a name that is taken gets a number, also where long names are cut") {
    std::set<std::string> taken;
    auto record = test::scored("k", "m", "b");
    CHECK(group_name(record, taken) == "m__b__features.5");
    CHECK(group_name(record, taken) == "m__b__features.5__2");
    CHECK(group_name(record, taken) == "m__b__features.5__3");
    record.layer = std::string(1000, 'x');
    CHECK(group_name(record, taken).size() == 240);
    CHECK(group_name(record, taken).size() == 243);
}
