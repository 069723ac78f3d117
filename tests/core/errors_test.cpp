#include "core/errors.hpp"

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("near names are suggested, the nearest first") {
    const std::vector<std::string> names{"ridge", "ridgecv", "pls", "cka"};
    CHECK(near_names("rigde", names) == ", did you mean 'ridge'?");
    CHECK(near_names("ridgec", names) == ", did you mean 'ridge' or 'ridgecv'?");
    CHECK(near_names("PLS", names) == ", did you mean 'pls'?");
}

TEST_CASE("at most three names are suggested") {
    CHECK(near_names("aaaa", {"aaab", "aaac", "aaad", "aaae"}) ==
          ", did you mean 'aaab', 'aaac' or 'aaad'?");
}

TEST_CASE("nothing is suggested where nothing is near") {
    CHECK(near_names("spearman", {"pls", "cka"}).empty());
    CHECK(near_names("x", {"a", "b"}).empty());
    CHECK(near_names("pls", {}).empty());
}

TEST_CASE("failure classes have the names that score records use") {
    CHECK(name_of(FailureClass::deterministic) == "deterministic");
    CHECK(name_of(FailureClass::out_of_memory) == "out_of_memory");
    CHECK(name_of(FailureClass::timeout) == "timeout");
}
