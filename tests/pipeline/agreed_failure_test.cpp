#include "pipeline/schedule/agreed_failure.hpp"

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "comm/run_collectively.hpp"
#include "io/journal/journal.hpp"
#include "support/ranks.hpp"

using namespace ventral;
using core::FailureClass;
using pipeline::agreed_failure;

TEST_CASE("a team goes on after what all its ranks have met, and after nothing else") {
    test::on_ranks([](comm::Communicator& team) {
        const auto handle = [&](const auto& thrown) {
            try {
                throw thrown;
            } catch (const std::exception& error) {
                return agreed_failure(error, team);
            }
        };
        const comm::CollectiveError agreed(0, "disk full", FailureClass::transient);
        CHECK(handle(agreed).failure_class == FailureClass::transient);
        CHECK_THROWS_AS(handle(core::Interrupted("stopped")), core::Interrupted);
        CHECK_THROWS_AS(handle(io::JournalError("disk full")), io::JournalError);
        const core::InputError own("a.nc: damaged");
        if (team.size() == 1)
            CHECK(handle(own).reason == "a.nc: damaged");
        else
            CHECK_THROWS_AS(handle(own), core::InputError);
    });
}
