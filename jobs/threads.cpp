#include "threads.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "process.hpp"
#include "stats/blas_kernels.hpp"

namespace ventral::jobs {

void add_threads_option(CLI::App& app, std::optional<std::size_t>& threads) {
    app.add_option("--threads", threads,
                   "worker threads of a rank (default: available cores / ranks on the node)")
        ->check(CLI::Range(1, 1024));
}

std::size_t worker_threads(const std::optional<std::size_t>& threads, std::size_t ranks) {
    if (threads) return *threads;
    return std::max<std::size_t>(1, available_cores() / ranks);
}

std::size_t worker_threads_alone(const std::optional<std::size_t>& threads) {
    const auto chosen = worker_threads(threads, 1);
    stats::require_blas_memory(chosen);
    return chosen;
}

std::size_t worker_threads(const std::optional<std::size_t>& threads, comm::Communicator& node) {
    std::set<int> processors;
    for (const auto& packed : node.all_gather(comm::pack(bound_processors())))
        for (const int processor : comm::unpack<std::vector<int>>(packed))
            processors.insert(processor);
    auto cores = static_cast<double>(processors.size());
    if (const auto quota = processor_quota()) cores = std::min(cores, std::ceil(*quota));
    const auto ranks = static_cast<double>(node.size());
    const std::size_t chosen =
        threads ? *threads : std::max<std::size_t>(1, static_cast<std::size_t>(cores / ranks));
    const std::size_t own = bound_processors().size();
    if (chosen > own && own < machine_cores())
        throw core::InputError("--threads: " + std::to_string(chosen) +
                               " workers of a rank would share " + std::to_string(own) +
                               " core(s) (the launcher binds the rank to them) give mpirun "
                               "--bind-to none, or --map-by slot:PE=" +
                               std::to_string(chosen));
    return chosen;
}

std::size_t agreed_worker_threads(const std::optional<std::size_t>& threads,
                                  comm::Communicator& world) {
    const auto node = world.split_by_node();
    std::size_t chosen = 1;
    std::string problem;
    try {
        chosen = worker_threads(threads, *node);
        stats::require_blas_memory(chosen);
    } catch (const core::InputError& error) {
        problem = error.what();
    }
    comm::run_collectively(world, [&] {
        if (!problem.empty()) throw core::InputError(problem);
    });
    return chosen;
}

}  // namespace ventral::jobs
