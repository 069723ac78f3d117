#include "leaderboard/night_diff.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::ChangeKind;
using leaderboard::night_diff;
using test::failed;
using test::scored;

namespace {

using Records = std::vector<core::ScoreRecord>;

core::ScoreRecord with(const std::string& fact, const std::string& content,
                       core::ScoreRecord record) {
    record.provenance[fact] = content;
    return record;
}

core::ScoreRecord worth(double value, core::ScoreRecord record) {
    record.value = value;
    return record;
}

core::ScoreRecord of_layer(const std::string& layer, core::ScoreRecord record) {
    record.layer = layer;
    return record;
}

/// The only change.
leaderboard::ScoreChange change(const Records& before, const Records& now) {
    const auto diff = night_diff(before, now);
    REQUIRE(diff.changes.size() == 1);
    return diff.changes[0];
}

}  // namespace

TEST_CASE("equal nights have no changes, and a score that fails on is no news") {
    const Records night = {scored("k", "m", "b"), failed("f", "n", "b")};
    const auto diff = night_diff(night, night);
    CHECK(diff.changes.empty());
    CHECK(diff.unchanged == 2);
    CHECK(diff.still_failed == 1);
}

TEST_CASE("scores come and go") {
    CHECK(change({}, {scored("k", "m", "b")}).kind == ChangeKind::added);
    CHECK(change({scored("k", "m", "b")}, {}).kind == ChangeKind::gone);
    const auto diff =
        night_diff({scored("k", "m", "b")}, {of_layer("late", scored("l", "m", "b"))});
    REQUIRE(diff.changes.size() == 2);
    CHECK(diff.changes[0].kind == ChangeKind::added);
    CHECK(diff.changes[1].kind == ChangeKind::gone);
}

TEST_CASE("a score that is planned and not computed is not gone") {
    auto open = scored("l", "m", "b");
    open.status = core::ScoreStatus::pending;
    const auto found = change({scored("k", "m", "b")}, {open});
    CHECK(found.kind == ChangeKind::open);
    CHECK(name_of(found.kind) == "not computed");
    CHECK(found.before->key == "k");
    CHECK(change({open}, {scored("l", "m", "b")}).kind == ChangeKind::added);
    CHECK(night_diff({open}, {open}).changes.empty());
}

TEST_CASE("where one side does not say how it is normalised, another value is no alarm") {
    auto table = scored("k", "m", "b");
    table.normalisation = "";
    table.provenance.clear();
    CHECK(night_diff({table}, {scored("k", "m", "b")}).changes.empty());
    table.value = 0.9;
    const auto found = change({table}, {scored("k", "m", "b")});
    CHECK(found.kind == ChangeKind::changed);
    CHECK(found.reason == "other values of the same raw value");
    table.raw_value = 0.5;
    CHECK(change({table}, {scored("k", "m", "b")}).kind == ChangeKind::other_bits);
}

TEST_CASE("a score that fails, or for the first time, is newly failed with its reason") {
    const auto now = failed("k2", "m", "b");
    CHECK(change({}, {now}).kind == ChangeKind::newly_failed);
    const auto found = change({scored("k", "m", "b")}, {now});
    CHECK(found.kind == ChangeKind::newly_failed);
    CHECK(found.reason == "out_of_memory: no memory for K\n8 GiB");
}

TEST_CASE("a failed score that is done now is cured, of whatever layer if it had none") {
    CHECK(change({failed("f", "m", "b")}, {scored("k", "m", "b")}).kind == ChangeKind::cured);
    const auto of_all = of_layer("", failed("f", "m", "b"));
    const auto cured = change({of_all}, {scored("k", "m", "b")});
    CHECK(cured.kind == ChangeKind::cured);
    CHECK(cured.before->key == "f");
    CHECK(cured.now->key == "k");
    CHECK(change({of_all}, {}).kind == ChangeKind::gone);
    const auto elsewhere = night_diff({of_all}, {scored("k", "m", "other")});
    CHECK(count(elsewhere, ChangeKind::cured) == 0);
    CHECK(count(elsewhere, ChangeKind::gone) == 1);
    // The layer was there before, from a time at which nothing had failed.
    CHECK(change({of_all, scored("k", "m", "b")}, {scored("k", "m", "b")}).kind ==
          ChangeKind::cured);
}

TEST_CASE("layers that fail together are newly failed once, and not gone") {
    const auto of_all = of_layer("", failed("f", "m", "b"));
    const auto found =
        change({scored("k", "m", "b"), of_layer("late", scored("l", "m", "b"))}, {of_all});
    CHECK(found.kind == ChangeKind::newly_failed);
    CHECK(found.now->key == "f");
}

TEST_CASE("what fails on, of one layer or of all, is no news") {
    const auto of_all = of_layer("", failed("f", "m", "b"));
    for (const auto& [before, now] :
         {std::pair(of_all, failed("g", "m", "b")), std::pair(failed("g", "m", "b"), of_all)}) {
        const auto diff = night_diff({before}, {now});
        CHECK(diff.changes.empty());
        CHECK(diff.still_failed == 1);
    }
    // But it is where another layer was done.
    const auto found =
        change({failed("g", "m", "b"), of_layer("late", scored("l", "m", "b"))}, {of_all});
    CHECK(found.kind == ChangeKind::newly_failed);
}

TEST_CASE("another key says what changed as far as the records tell") {
    const auto before = with("activations", "a", with("model_content", "c", scored("k", "m", "b")));
    const auto reason = [&](const core::ScoreRecord& now) {
        const auto found = change({before}, {now});
        CHECK(found.kind == ChangeKind::changed);
        return found.reason;
    };
    auto now = before;
    now.key = "other";
    CHECK(reason(now) == "benchmark, recordings or numerics changed");
    CHECK(reason(with("activations", "z", with("model_content", "z", now))) == "model changed");
    CHECK(reason(with("activations", "z", now)) == "stimuli changed");
    const auto set = change({with("settings", "none", before)}, {with("settings", "seed=1", now)});
    CHECK(set.reason == "--set changed (none -> seed=1)");
    auto other = with("metric", "n", with("ceiling", "none", with("model_content", "z", now)));
    other.normalisation = "none";
    CHECK(
        change({with("metric", "m", with("ceiling", "c", before))}, {other}).reason ==
        "model changed, metric or its parameters changed, ceiling changed, normalisation changed");
    now.version = 2;
    CHECK(reason(now) == "benchmark version 1 -> 2");
    now.provenance.clear();
    now.version = 1;
    CHECK(reason(now) == "inputs changed");
}

TEST_CASE("one key with other bits is an alarm, and names both hosts") {
    const auto found = change({scored("k", "m", "b")},
                              {with("host", "h2", worth(0.5000000001, scored("k", "m", "b")))});
    CHECK(found.kind == ChangeKind::other_bits);
    CHECK(found.reason.find("h1") != std::string::npos);
    CHECK(found.reason.find("h2") != std::string::npos);
}

TEST_CASE("another fingerprint may differ by 1e-9, and so may a table that names none") {
    const auto near = worth(0.5 + 1e-10, scored("k", "m", "b"));
    CHECK(night_diff({scored("k", "m", "b")}, {with("fingerprint", "f2", near)}).unchanged == 1);
    auto bare = scored("k", "m", "b");
    bare.provenance.clear();
    CHECK(night_diff({bare}, {near}).unchanged == 1);
    const auto far = worth(0.5 + 1e-8, scored("k", "m", "b"));
    CHECK(change({bare}, {far}).kind == ChangeKind::other_bits);
}

TEST_CASE("one key that is not applicable on one side only is an alarm") {
    auto absent = scored("k", "m", "b");
    absent.status = core::ScoreStatus::not_applicable;
    CHECK(change({absent}, {scored("k", "m", "b")}).kind == ChangeKind::other_bits);
}

TEST_CASE("another normalisation of one key is a change and no alarm") {
    auto now = worth(0.6, scored("k", "m", "b"));
    now.normalisation = "none";
    const auto found = change({scored("k", "m", "b")}, {now});
    CHECK(found.kind == ChangeKind::changed);
    CHECK(found.reason == "normalisation explained_variance -> none");
}

TEST_CASE("of several scores of one name the latest counts") {
    const auto old = with("recorded", "2026-11-20", scored("k", "m", "b"));
    const auto young = with("recorded", "2026-11-21", scored("z", "m", "b"));
    const auto found = change({old}, {young, old});
    CHECK(found.now->key == "z");
    CHECK(night_diff({old, young}, {young}).unchanged == 1);
}

TEST_CASE("alarms come first, then failures") {
    const auto diff = night_diff(
        {scored("k", "m", "b"), scored("x", "n", "b"), scored("y", "o", "b")},
        {worth(0.7, scored("k", "m", "b")), failed("f", "n", "b"), scored("w", "p", "b")});
    REQUIRE(diff.changes.size() == 4);
    CHECK(diff.changes[0].kind == ChangeKind::other_bits);
    CHECK(diff.changes[1].kind == ChangeKind::newly_failed);
    CHECK(diff.changes[2].kind == ChangeKind::added);
    CHECK(diff.changes[3].kind == ChangeKind::gone);
    CHECK(count(diff, ChangeKind::added) == 1);
    CHECK(diff.unchanged == 0);
}
