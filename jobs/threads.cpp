#include "threads.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "core/control_group.hpp"
#include "core/errors.hpp"
#include "process.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"

namespace ventral::jobs {
namespace {

/// Why several workers would run on one core, and what helps.
std::string crowded(std::size_t workers, std::size_t cores) {
    const auto left = core::group_cpuset();
    const bool by_group = left && *left <= cores;
    return "--threads: " + std::to_string(workers) + " workers of a rank would share " +
           std::to_string(cores) + " core(s) " +
           (by_group ? "(its cgroup leaves it no others) ask for more cores, or for fewer threads"
                     : "(the launcher binds the rank to them) give mpirun --bind-to none, or "
                       "--map-by slot:PE=" +
                           std::to_string(workers));
}

/// What was asked for, else as many as ranks that share these processors have of them each.
std::size_t chosen_threads(const std::optional<std::size_t>& threads, std::size_t processors,
                           std::size_t ranks) {
    if (threads) return *threads;
    return std::clamp<std::size_t>(within_quota(processors) / ranks, 1, stats::most_blas_threads);
}

}  // namespace

void add_threads_option(CLI::App& app, std::optional<std::size_t>& threads) {
    app.add_option(
           "--threads", threads,
           "worker threads of a rank (default: available cores / ranks on the node, at most " +
               std::to_string(stats::most_blas_threads) + ")")
        ->check(CLI::Range(std::size_t{1}, stats::most_blas_threads));
}

std::size_t worker_threads(const std::optional<std::size_t>& threads, std::size_t ranks) {
    return chosen_threads(threads, bound_processors().size(), ranks);
}

std::size_t worker_threads_alone(const std::optional<std::size_t>& threads, std::size_t ranks) {
    const auto chosen =
        threads ? std::min(*threads * ranks, stats::most_blas_threads) : worker_threads({}, 1);
    stats::require_blas_memory(chosen);
    return chosen;
}

std::vector<int> processors_of(comm::Communicator& node) {
    std::set<int> processors;
    for (const auto& of_rank : comm::gather_records(node, bound_processors()))
        processors.insert(of_rank.begin(), of_rank.end());
    return {processors.begin(), processors.end()};
}

std::size_t worker_threads(const std::optional<std::size_t>& threads, comm::Communicator& node) {
    const std::size_t chosen =
        chosen_threads(threads, processors_of(node).size(), static_cast<std::size_t>(node.size()));
    const std::size_t own = bound_processors().size();
    if (chosen > own && own < machine_cores()) throw core::InputError(crowded(chosen, own));
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
