#include "core/score.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("the states of a score have names that lead back to them") {
    for (const auto status : {ScoreStatus::scored, ScoreStatus::not_applicable, ScoreStatus::failed,
                              ScoreStatus::pending})
        CHECK(score_status(name_of(status)) == status);
    CHECK(name_of(ScoreStatus::not_applicable) == "not_applicable");
    CHECK(!score_status("done"));
}

TEST_CASE("the classes of failures have names that lead back to them") {
    for (const auto each :
         {FailureClass::deterministic, FailureClass::transient, FailureClass::out_of_memory,
          FailureClass::crashed, FailureClass::timeout})
        CHECK(ventral::core::failure_class(name_of(each)) == each);
    CHECK(!ventral::core::failure_class(""));
}

TEST_CASE("a new record has no value and waits") {
    const ScoreRecord record;
    CHECK(record.status == ScoreStatus::pending);
    CHECK(!record.value);
    CHECK(std::isinf(record.margins.pls_stop));
    CHECK(record.margins.guard == 0);
}
