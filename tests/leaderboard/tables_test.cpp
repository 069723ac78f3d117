#include "leaderboard/tables.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("the CSV is sorted, has all digits, quotes where needed, and tells absent from NaN") {
    leaderboard::Night night;
    auto odd = test::scored("k1", "say \"hi\", m", "c");
    odd.value = std::nan("");
    odd.error = std::nullopt;
    odd.raw_value = 1.0 / 3;
    odd.ceiling->error = std::nullopt;
    odd.version = 2;
    night.records = {odd, test::failed("k2", "m", "b")};
    CHECK(leaderboard::scores_csv(night) ==
          "model,benchmark,version,layer,slice,status,value,error,raw_value,ceiling,ceiling_error,"
          "key\n"
          "m,b,1,features.5,,failed,,,,,,k2\n"
          "\"say \"\"hi\"\", m\",c,2,features.5,,scored,nan,,0.3333333333333333,0.72,,k1\n");
}

TEST_CASE("a score over time is a line for the whole and one for each bin") {
    leaderboard::Night night;
    auto record = test::scored("k1", "m", "b");
    record.slices = {{"0 to 70 ms", 0.25, 0.5, 0.125, 1, {}}, {"70 to 90 ms", 0.75, 1, {}, {}, {}}};
    night.records = {record};
    CHECK(leaderboard::scores_csv(night) ==
          "model,benchmark,version,layer,slice,status,value,error,raw_value,ceiling,ceiling_error,"
          "key\n"
          "m,b,1,features.5,,scored,0.5,0.01,0.6,0.72,0.02,k1\n"
          "m,b,1,features.5,0 to 70 ms,scored,0.25,0.125,0.5,1,,k1\n"
          "m,b,1,features.5,70 to 90 ms,scored,0.75,,1,,,k1\n");
}

TEST_CASE("the JSON is a list of whole records with paths as seen from the folder") {
    const test::TemporaryFolder folder;
    const auto night = test::night_with_raw(folder.file("run"));
    CHECK(leaderboard::scores_json({}, "out") == "[]\n");
    auto expected = night.records[0];
    const auto name = expected.raw->file;
    expected.raw->file = "journal/" + name;
    CHECK(leaderboard::scores_json(night, folder.file("run")) ==
          "[\n" + io::to_json(expected) + "\n]\n");
    expected.raw->file = "../run/journal/" + name;
    CHECK(leaderboard::scores_json(night, folder.file("all")) ==
          "[\n" + io::to_json(expected) + "\n]\n");
}
