#include "pipeline/network_trials.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "support/team.hpp"

using namespace ventral;
using pipeline::NetworkTrials;
using test::Team;

namespace {

/// Networks "m0", "m1", …, of which `stored` are stored features.
config::RunRecord run_of(std::size_t networks, const std::vector<std::size_t>& stored = {}) {
    config::RunRecord run;
    for (std::size_t m = 0; m < networks; ++m) {
        models::ModelRecord model;
        model.identifier = "m" + std::to_string(m);
        if (std::find(stored.begin(), stored.end(), m) != stored.end())
            model.features_file = "features.nc";
        run.models.push_back(model);
    }
    return run;
}

/// Notes what this rank tries; "m2" cannot be used.
struct Notes {
    std::vector<std::string> tried;

    pipeline::NetworkTrial trial() {
        return [this](const std::vector<models::ModelRecord>& models) {
            std::map<std::string, std::string> reasons;
            for (const auto& model : models) {
                tried.push_back(model.identifier);
                if (model.identifier == "m2") reasons["m2"] = "m2.ts: cannot be used";
            }
            return reasons;
        };
    }
};

std::vector<std::string> of_all_ranks(const Notes& notes, comm::Communicator& world) {
    std::string own;
    for (const auto& name : notes.tried) own += name;
    return world.all_gather(own);
}

}  // namespace

TEST_CASE("the ranks share the trials of the networks that will be needed next") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto run = run_of(20, {1});
        Notes notes;
        NetworkTrials trials(run, notes.trial(), {0,  1,  0,  2,  3,  4,  5,  6,  7,  8, 9,
                                                  10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
        trials.require(0, team.context);
        const auto ranks = static_cast<std::size_t>(world.size());
        CHECK(notes.tried.size() == NetworkTrials::at_once_on_a_rank);
        const auto all = of_all_ranks(notes, world);
        CHECK(all[0].rfind(ranks == 1 ? "m0m2m3m4" : "m0", 0) == 0);
        CHECK_THROWS_WITH(trials.require(2, team.context),
                          Catch::Contains("m2.ts: cannot be used"));
        CHECK_NOTHROW(trials.require(3, team.context));
        CHECK(notes.tried.size() == NetworkTrials::at_once_on_a_rank);  // each once
        trials.require(19, team.context);
        const auto then = of_all_ranks(notes, world);
        CHECK(then[0] == all[0] + "m19");
        for (std::size_t r = 1; r < ranks; ++r) CHECK(then[r] == all[r]);
    });
}

TEST_CASE("a network that no unit names is tried alone, and none without a trial") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto run = run_of(3);
        Notes notes;
        NetworkTrials trials(run, notes.trial(), {1});
        CHECK_THROWS_WITH(trials.require(2, team.context), Catch::Contains("cannot be used"));
        CHECK(of_all_ranks(notes, world)[0] == "m2");
        NetworkTrials none(run, {}, {2});
        CHECK_NOTHROW(none.require(2, team.context));
    });
}
