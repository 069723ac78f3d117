#include "leaderboard/superseded.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using test::failed;
using test::scored;

namespace {

core::ScoreRecord at(const std::string& time, core::ScoreRecord record) {
    record.provenance["recorded"] = time;
    return record;
}

core::ScoreRecord of_layer(const std::string& layer, core::ScoreRecord record) {
    record.layer = layer;
    return record;
}

/// The keys of what is left.
std::string left(std::vector<core::ScoreRecord> records,
                 const std::map<std::string, std::string>& listed = {}) {
    leaderboard::drop_superseded(records, listed);
    std::string keys;
    for (const auto& record : records) keys += record.key + " ";
    return keys;
}

const std::string morning = "2026-11-21T08:00:00.000Z";
const std::string noon = "2026-11-21T12:00:00.000Z";

}  // namespace

TEST_CASE("a failure that was cured is gone, one that came later stays beside the score") {
    CHECK(left({at(morning, failed("f", "m", "b")), at(noon, scored("s", "m", "b"))}) == "s ");
    CHECK(left({at(noon, failed("f", "m", "b")), at(morning, scored("s", "m", "b"))}) == "f s ");
    auto absent = at(noon, scored("s", "m", "b"));
    absent.status = core::ScoreStatus::not_applicable;
    CHECK(left({at(morning, failed("f", "m", "b")), absent}) == "s ");
}

TEST_CASE("a failure that came later is gone if later tables have the score instead") {
    const auto failure = at(noon, failed("f", "m", "b"));
    const auto score = at(morning, scored("s", "m", "b"));
    const std::string evening = "2026-11-21T18:00:00.000Z";
    CHECK(left({failure, score}, {{"s", evening}}) == "s ");
    CHECK(left({failure, score}, {{"s", morning}}) == "f s ");
    CHECK(left({failure, score}, {{"s", ""}}) == "f s ");
    CHECK(left({failure, score}, {{"f", evening}}) == "f s ");
    CHECK(left({failure, score}, {{"f", evening}, {"s", evening}}) == "f s ");
    CHECK(left({failure, score}, {{"other", evening}}) == "f s ");
    CHECK(left({failure}, {{"s", evening}}) == "f ");
    CHECK(left({of_layer("conv1", failure), score}, {{"s", evening}}) == "f s ");
}

TEST_CASE("of several failures the last counts, and what is done where nothing says when") {
    CHECK(left({at(morning, failed("f", "m", "b")), at(noon, failed("g", "m", "b"))}) == "g ");
    CHECK(left({failed("f", "m", "b"), failed("g", "m", "b")}) == "f g ");
    CHECK(left({failed("f", "m", "b"), scored("s", "m", "b")}) == "s ");
    CHECK(left({failed("f", "m", "b"), at(morning, failed("g", "m", "b"))}) == "g ");
    CHECK(left({at(morning, failed("f", "m", "b")), scored("s", "m", "b")}) == "f s ");
}

TEST_CASE("only records of the same model, benchmark, version and layer are replaced") {
    auto version = at(noon, scored("v", "m", "b"));
    version.version = 2;
    CHECK(left({at(morning, failed("f", "m", "b")), version, at(noon, scored("x", "n", "b")),
                at(noon, scored("y", "m", "c")),
                at(noon, of_layer("features.1", scored("z", "m", "b")))}) == "f v x y z ");
}

TEST_CASE("a failure of no layer in particular is cured by a score of any") {
    const auto none = at(morning, of_layer("", failed("f", "m", "b")));
    CHECK(left({none, at(noon, scored("s", "m", "b"))}) == "s ");
    CHECK(left({none, at(noon, failed("g", "m", "b"))}) == "g ");
    CHECK(left({at(noon, of_layer("", failed("f", "m", "b"))),
                at(morning, scored("s", "m", "b"))}) == "f s ");
}
