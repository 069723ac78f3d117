#include "pipeline/failure_of.hpp"

#include <new>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"

using namespace ventral;
using core::FailureClass;
using pipeline::failure_of;

TEST_CASE("the failure of a team is that of the rank that failed") {
    const auto failure =
        failure_of(comm::CollectiveError(2, "out.h5: disk full", FailureClass::transient));
    CHECK(failure.failure_class == FailureClass::transient);
    CHECK(failure.reason == "out.h5: disk full");
}

TEST_CASE("the failure of a rank alone is what its exception stands for") {
    CHECK(failure_of(core::OutputError("disk full")).failure_class == FailureClass::transient);
    CHECK(failure_of(std::bad_alloc()).failure_class == FailureClass::out_of_memory);
    const auto failure = failure_of(core::InputError("a.nc: damaged"));
    CHECK(failure.failure_class == FailureClass::deterministic);
    CHECK(failure.reason == "a.nc: damaged");
}
