#include "comm/run_collectively.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "support/ranks.hpp"

using namespace ventral::comm;
using ventral::test::on_ranks;

TEST_CASE("a step that fails on one rank is thrown on all of them") {
    on_ranks([](Communicator& comm) {
        const int last = comm.size() - 1;
        const auto step = [&] {
            if (comm.rank() == last) throw std::runtime_error("layer 'conv9' not found");
        };
        const std::string reason = "layer 'conv9' not found";
        const auto place = comm.size() > 1 ? "rank " + std::to_string(last) + ": " : "";
        CHECK_THROWS_WITH(run_collectively(comm, step), place + reason);
    });
}

TEST_CASE("of several failing ranks the lowest is reported") {
    on_ranks([](Communicator& comm) {
        if (comm.size() == 1) return;
        const auto step = [&] { throw std::runtime_error(std::to_string(comm.rank())); };
        CHECK_THROWS_WITH(run_collectively(comm, step), "rank 0: 0");
        try {
            run_collectively(comm, step);
        } catch (const CollectiveError& error) {
            CHECK(error.rank() == 0);
            CHECK(error.failure().reason == "0");
        }
    });
}

TEST_CASE("the failure of a group is that of the rank that failed") {
    const CollectiveError error(2, "out.h5: disk full", ventral::core::FailureClass::transient);
    CHECK(std::string(error.what()) == "rank 2: out.h5: disk full");
    const auto failure = ventral::core::failure_of(error);
    CHECK(failure.failure_class == ventral::core::FailureClass::transient);
    CHECK(failure.reason == "out.h5: disk full");
}

TEST_CASE("a lone rank gets the exception itself") {
    const auto alone = make_serial();
    CHECK_THROWS_AS(run_collectively(*alone, [] { throw std::out_of_range("row 9"); }),
                    std::out_of_range);
}

TEST_CASE("a step that fails nowhere is no failure, and ranks go on together afterwards") {
    on_ranks([](Communicator& comm) {
        int steps = 0;
        CHECK_NOTHROW(run_collectively(comm, [&] { ++steps; }));
        CHECK(steps == 1);
        CHECK_THROWS(run_collectively(comm, [] { throw 7; }));
        CHECK_NOTHROW(comm.barrier());
    });
}
