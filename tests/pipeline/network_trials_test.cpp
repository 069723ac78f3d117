#include "pipeline/extraction/network_trials.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include <catch2/catch.hpp>
#include <pthread.h>

#include "core/errors.hpp"
#include "support/team.hpp"
#include "support/temporary_folder.hpp"

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
            model.features.path = "features.nc";
        run.models.push_back(model);
    }
    return run;
}

/// Notes what this rank tries; "m2" cannot be used, "m0" can only where no other rank tries.
struct Notes {
    std::vector<std::string> tried;
    bool has_company = false;

    pipeline::NetworkTrial trial() {
        return [this](const std::vector<models::ModelRecord>& models) {
            std::map<std::string, std::string> reasons;
            for (const auto& model : models) {
                tried.push_back(model.identifier);
                if (model.identifier == "m2") reasons["m2"] = "m2.ts: cannot be used";
                if (model.identifier == "m0" && has_company && tried.size() == 1)
                    reasons["m0"] = "m0.ts: needs more memory than there is";
            }
            return reasons;
        };
    }
};

/// While it lives a thread of this process that is not told otherwise would need a stack beyond all
/// addresses.
class NoThreads {
public:
    NoThreads() {
        pthread_getattr_default_np(&before_);
        auto attributes = before_;
        pthread_attr_setstacksize(&attributes, std::size_t{1} << 48);
        pthread_setattr_default_np(&attributes);
    }
    ~NoThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

private:
    pthread_attr_t before_;
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
        const auto run = run_of(9, {1});
        Notes notes;
        NetworkTrials trials(run, notes.trial(), {0, 1, 0, 2, 3, 4, 5, 6, 7, 8});
        CHECK_FALSE(trials.has_passed(0));
        trials.require(0, team.context);
        CHECK(trials.has_passed(0));
        CHECK_FALSE(trials.has_passed(2));
        CHECK(trials.has_passed(3) == (world.size() > 2));
        const std::vector<std::string> next{"m0", "m2", "m3", "m4"};
        const auto rank = static_cast<std::size_t>(world.rank());
        CHECK(notes.tried == std::vector<std::string>{next.at(rank)});
        // It has failed beside others, or has not been tried: it is tried by the first rank.
        CHECK_THROWS_WITH(trials.require(2, team.context),
                          Catch::Contains("m2.ts: cannot be used"));
        const auto tried = of_all_ranks(notes, world);
        CHECK(tried[0].rfind("m0m2", 0) == 0);
        CHECK_THROWS_WITH(trials.require(2, team.context), Catch::Contains("cannot be used"));
        CHECK_NOTHROW(trials.require(0, team.context));
        CHECK(of_all_ranks(notes, world) == tried);  // each once
    });
}

TEST_CASE("a trial that fails beside others counts if it fails alone") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto run = run_of(9);
        Notes notes;
        notes.has_company = world.size() > 1 && world.rank() == 0;
        NetworkTrials trials(run, notes.trial(), {0, 3, 4, 5, 6});
        CHECK_NOTHROW(trials.require(0, team.context));
        if (world.size() > 1) CHECK(of_all_ranks(notes, world).back().rfind("m", 0) == 0);
        if (world.size() == 2) CHECK(of_all_ranks(notes, world).back() == "m3m0");
    });
}

TEST_CASE("a rank with several threads tries two networks side by side, if one is small") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto own = world.split(world.rank());
        Team team(*own, folder, 3);
        const test::TemporaryFolder files;
        auto run = run_of(4);
        for (const std::size_t large : {0, 1}) {
            auto& file = run.models[large].weights_file;
            file = (files.path() / run.models[large].identifier).string();
            std::ofstream(file).close();
            std::filesystem::resize_file(file, std::uintmax_t{300} << 20);
        }
        std::mutex mutex;
        std::condition_variable both;
        std::vector<std::string> tried;
        bool were_together = false;
        const auto trial = [&](const std::vector<models::ModelRecord>& models) {
            const auto& name = models.at(0).identifier;
            std::unique_lock lock(mutex);
            tried.push_back(name);
            both.notify_all();
            if (tried.size() <= 2)
                were_together =
                    both.wait_for(lock, std::chrono::minutes(1), [&] { return tried.size() == 2; });
            std::map<std::string, std::string> reasons;
            if (name == "m0" && tried.size() == 2) reasons[name] = "m0.ts: wants for memory";
            return reasons;
        };
        NetworkTrials trials(run, trial, {0, 1, 2, 3});
        CHECK_NOTHROW(trials.require(0, team.context));
        CHECK(were_together);
        // The first has failed beside the other and passed alone.
        REQUIRE(tried.size() == 3);
        CHECK(std::set<std::string>(tried.begin(), tried.begin() + 2) ==
              std::set<std::string>{"m0", "m2"});
        CHECK(tried[2] == "m0");
        CHECK(trials.has_passed(2));
        CHECK_FALSE(trials.has_passed(1));
        CHECK_FALSE(trials.has_passed(3));
    });
}

TEST_CASE("several ranks and threads try two networks on each rank") {
    CHECK(pipeline::trials_at_once(1, 1) == 1);
    CHECK(pipeline::trials_at_once(1, 16) == 2);
    CHECK(pipeline::trials_at_once(3, 1) == 3);
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder, 2);
        const auto run = run_of(9);
        std::mutex mutex;
        std::set<std::string> tried;
        NetworkTrials trials(run,
                             [&](const std::vector<models::ModelRecord>& models)
                                 -> std::map<std::string, std::string> {
                                 const std::lock_guard lock(mutex);
                                 tried.insert(models.at(0).identifier);
                                 return {};
                             },
                             {0, 1, 2, 3, 4, 5, 6, 7, 8});
        trials.require(0, team.context);
        const auto rank = static_cast<std::size_t>(world.rank());
        const auto ranks = static_cast<std::size_t>(world.size());
        CHECK(tried == std::set<std::string>{"m" + std::to_string(rank),
                                             "m" + std::to_string(rank + ranks)});
        CHECK(trials.has_passed(2 * ranks - 1));
        CHECK_FALSE(trials.has_passed(2 * ranks));
    });
}

TEST_CASE("a network that cannot be tried fails for now, and no other one with it") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto run = run_of(9);
        Notes notes;
        bool has_processes = false;
        const auto trial = notes.trial();
        NetworkTrials trials(run,
                             [&](const std::vector<models::ModelRecord>& models) {
                                 if (models.at(0).identifier == "m0" && !has_processes)
                                     throw core::TransientError("m0.ts: no process can be started");
                                 return trial(models);
                             },
                             {0, 3, 4, 5, 6});
        const auto failure_class = [&] {
            try {
                trials.require(0, team.context);
            } catch (const std::exception& error) {
                return core::failure_of(error).failure_class;
            }
            return core::FailureClass::crashed;
        };
        CHECK(failure_class() == core::FailureClass::transient);
        CHECK_THROWS_WITH(trials.require(0, team.context),
                          Catch::Contains("m0.ts: no process can be started"));
        CHECK_NOTHROW(trials.require(3, team.context));
        has_processes = true;
        CHECK_NOTHROW(trials.require(0, team.context));
        has_processes = false;
        CHECK_NOTHROW(trials.require(0, team.context));
    });
}

TEST_CASE("a trial that ends with the job by a signal is a stop, not a failure") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto run = run_of(1);
        NetworkTrials trials(run, [&](const auto&) -> std::map<std::string, std::string> {
            team.ask_to_stop();
            throw core::TransientError("m0.ts: its process was stopped");
        });
        CHECK_THROWS_AS(trials.require(0, team.context), core::Interrupted);
    });
}

TEST_CASE("where no thread can be started a network is tried all the same") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto own = world.split(world.rank());
        Team team(*own, folder);
        team.workers.set_interlude([] {});
        const auto run = run_of(1);
        Notes notes;
        NetworkTrials trials(run, notes.trial());
        world.barrier();
        if (world.rank() == 0) {
            const NoThreads while_it_is_tried;
            CHECK_NOTHROW(trials.require(0, team.context));
            CHECK(notes.tried == std::vector<std::string>{"m0"});
        }
        world.barrier();
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
        CHECK(none.has_passed(2));
        CHECK_NOTHROW(none.require(2, team.context));
    });
}
