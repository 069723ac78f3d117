#include "threads.hpp"

#include <algorithm>

#include "process.hpp"

namespace ventral::jobs {

void add_threads_option(CLI::App& app, std::optional<std::size_t>& threads) {
    app.add_option("--threads", threads,
                   "worker threads of a rank (default: available cores / ranks on the node)")
        ->check(CLI::Range(1, 1024));
}

std::size_t worker_threads(const std::optional<std::size_t>& threads, std::size_t ranks_on_node) {
    if (threads) return *threads;
    return std::max<std::size_t>(1, available_cores() / ranks_on_node);
}

}  // namespace ventral::jobs
