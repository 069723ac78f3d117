#pragma once
/// @file
/// A team at work, for the tests of its stages, and a folder that all its ranks use.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/schedule/team_context.hpp"
#include "support/ranks.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

/// The context of a team that shows no progress, with a folder for Grams.
struct Team {
    Team(comm::Communicator& ranks, const std::string& out, std::size_t threads = 1,
         std::optional<std::chrono::duration<double>> limit = {})
        : workers(threads), stop(limit), context{ranks, workers, stop, progress} {
        context.out = out;
        context.fingerprint = "this machine";
        context.world_rank = ranks.rank();
        if (context.leads()) std::filesystem::create_directories(out + "/grams");
    }

    /// As a signal would. No worker may be at work.
    void ask_to_stop() {
        std::destroy_at(&stop);
        std::construct_at(&stop, std::chrono::seconds(0));
    }

    core::Workers workers;
    pipeline::StopRequest stop;
    pipeline::Progress progress{pipeline::Progress::Shown::no};
    pipeline::TeamContext context;
};

/// `on_ranks` with a folder that the ranks of a world share.
inline void on_ranks_in_folder(
    const std::function<void(comm::Communicator&, const std::string& folder)>& body) {
    on_ranks([&](comm::Communicator& world) {
        std::optional<TemporaryFolder> folder;
        if (world.rank() == 0) folder.emplace();
        const auto path = world.broadcast(folder ? folder->path().string() : "", 0);
        body(world, path);
        world.barrier();
    });
}

}  // namespace ventral::test
