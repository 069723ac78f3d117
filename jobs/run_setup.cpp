#include "run_setup.hpp"

#include <array>

#include <unistd.h>

#include "commit.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "stats/blas_kernels.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

std::size_t agreed_threads(const std::optional<std::size_t>& threads, comm::Communicator& world) {
    const auto node = world.split_by_node();
    std::size_t agreed = 1;
    std::string problem;
    try {
        agreed = worker_threads(threads, *node);
    } catch (const core::InputError& error) {
        problem = error.what();
    }
    comm::run_collectively(world, [&] {
        if (!problem.empty()) throw core::InputError(problem);
    });
    return agreed;
}

void report_speed(core::Workers& workers, comm::Communicator& world) {
    const double rate = stats::dgemm_rate(workers);
    if (world.rank() == 0)
        core::log_info(std::to_string(world.size()) + " rank(s) × " +
                       std::to_string(workers.threads()) + " thread(s); OpenBLAS " +
                       stats::blas_core() + " kernels, DGEMM " +
                       std::to_string(static_cast<int>(rate / 1e9)) + " GFLOP/s per rank");
}

std::map<std::string, std::string> provenance_of(const config::RunRecord& run) {
    return {{"version", VENTRAL_VERSION},
            {"commit", commit()},
            {"config", run.origin},
            {"host", host_name()},
            {"seed", std::to_string(run.seed)}};
}

}  // namespace ventral::jobs
