#include "memory_limit.hpp"

#include <sys/resource.h>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "process.hpp"
#include "stats/blas_kernels.hpp"

namespace ventral::jobs {
namespace {

/// With less than this beside the program nothing can be scored, nor a failure be recorded.
constexpr double least_room = 64 << 20;

/// What the program takes beyond what it has now is bounded: it has reserved more than it uses.
void set_limit(double bound, int ranks) {
    const double resident = own_memory("VmRSS");
    if (bound < resident + least_room)
        throw core::InputError("--memory: " + core::bytes_text(bound) +
                               " for a rank is too little (the program " + "alone takes " +
                               core::bytes_text(resident) + " for each of " +
                               core::counted(static_cast<std::size_t>(ranks), "rank") +
                               " on the node) give more, or start fewer ranks");
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    const auto wanted = static_cast<rlim_t>(own_memory("VmData") + bound - resident);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted) return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

double limit_memory(const std::string& memory, core::Workers& workers, comm::Communicator& world) {
    const int ranks = world.split_by_node()->size();
    double bound = 0;
    comm::run_collectively(world, [&] {
        bound = memory_bound(memory) / (memory.empty() ? 1 : ranks);
        stats::take_blas_memory(workers.threads());
        set_limit(bound, ranks);
    });
    if (world.rank() == 0 && !memory.empty())
        core::log_info("memory: " + core::bytes_text(bound) + " for a rank (" +
                       core::bytes_text(bound * ranks) + " for " +
                       core::counted(static_cast<std::size_t>(ranks), "rank") + " on a node)");
    return bound;
}

}  // namespace ventral::jobs
