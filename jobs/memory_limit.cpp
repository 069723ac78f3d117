#include "memory_limit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <sys/resource.h>

#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/private_memory.hpp"
#include "node_memory.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"

namespace ventral::jobs {
namespace {

using pipeline::least_room_of_a_rank;

/// What of a node's memory is the ranks', and what others have taken of it.
struct Shared {
    int ranks;
    double others;
};

/// What the ranks of a node have by now for themselves. Collective over `node`.
double taken_by_ranks(comm::Communicator& node) {
    const auto taken = comm::gather_records(node, core::own_memory("RssAnon"));
    return std::accumulate(taken.begin(), taken.end(), 0.0);
}

/// Of this rank, in memory that is left to all of them.
double share_of(double left, const NodeMemory& memory, int ranks) {
    return memory.is_limited ? left / ranks : left;
}

/// With which a run can begin, in words that `--memory` takes.
std::string least_for_node(double resident, const Shared& shared) {
    constexpr double step = 16 << 20;
    const double of_a_rank =
        resident + least_room_of_a_rank + pipeline::differs_from_start_to_start;
    const double least = shared.others + shared.ranks * of_a_rank;
    return core::memory_setting(std::ceil(least / step) * step);
}

/// Throws if the shell leaves the program too little to begin with.
void require_room_in_shell(const ShellLimit& shell) {
    const double missing = core::own_memory("VmRSS") + least_room_of_a_rank +
                           pipeline::differs_from_start_to_start - shell.bytes;
    if (missing <= 0) return;
    constexpr double unit = 1024;  // of ulimit
    throw core::InputError(shell.option + ": " + core::bytes_text(shell.most) +
                           " are too little for a rank to begin with (the program alone takes " +
                           core::bytes_text(core::own_memory("VmRSS")) + ") raise it to " +
                           core::fixed_text(std::ceil((shell.most + missing) / unit), 0));
}

/// What the program takes beyond what it has now is bounded: it has reserved more than it uses.
void set_limit(double bound, const NodeMemory& memory, const Shared& shared) {
    const double resident = core::own_memory("VmRSS");
    if (bound < resident + least_room_of_a_rank)
        throw core::InputError(memory.source + ": " + core::bytes_text(std::max(bound, 0.0)) +
                               " for a rank is too little (the program " + "alone takes " +
                               core::bytes_text(resident) + " for each of " +
                               core::counted(static_cast<std::size_t>(shared.ranks), "rank") +
                               " on the node) give at least " + least_for_node(resident, shared) +
                               (shared.ranks > 1 ? ", or start fewer ranks" : "") +
                               "; ventral plan says what the units take");
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    const auto wanted = static_cast<rlim_t>(core::own_memory("VmData") + bound - resident);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted) return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_DATA, &limit);
}

void say(double bound, const NodeMemory& memory, double taken_by_others, int ranks) {
    auto text = "memory: " + core::bytes_text(bound) + " for a rank (";
    if (!memory.is_limited)
        return core::log_info(text + "all that the machine has: no cgroup and no Slurm limits it)");
    text += core::bytes_text(memory.bytes) + " for " +
            core::counted(static_cast<std::size_t>(ranks), "rank") + " on a node: " + memory.source;
    if (taken_by_others > 0)
        text += ", of which others have taken " + core::bytes_text(taken_by_others);
    core::log_info(text + ")");
    const auto available = available_memory();
    if (available.bytes < memory.bytes)
        core::log_warning(memory.source + ": more than the " + core::bytes_text(available.bytes) +
                          " that there are (" + available.source +
                          "), beyond which the system kills processes");
}

}  // namespace

pipeline::MemoryBound limit_memory(const std::string& memory, core::Workers& workers,
                                   comm::Communicator& world) {
    const auto node = world.split_by_node();
    NodeMemory allowed;
    comm::run_collectively(world, [&] { stats::take_blas_memory(workers.threads()); });
    // Once all ranks have theirs: else it would count as somebody else's, or as nobody's.
    comm::run_collectively(world, [&] { allowed = node_memory(memory); });
    const double others = std::max(0.0, allowed.used - taken_by_ranks(*node));
    const double bound = share_of(allowed.bytes - others, allowed, node->size());
    const auto shell = shell_limit();
    comm::run_collectively(world, [&] {
        if (shell && shell->bytes < bound)
            require_room_in_shell(*shell);
        else
            set_limit(bound, allowed, {node->size(), others});
    });
    const pipeline::MemoryBound share{share_of(allowed.bytes, allowed, node->size()),
                                      allowed.source, allowed.remedy};
    if (!shell || shell->bytes >= bound) {
        if (world.rank() == 0) say(bound, allowed, others, node->size());
        return share;
    }
    if (world.rank() == 0)
        core::log_info("memory: " + core::bytes_text(shell->bytes) + " for a rank (" +
                       shell->option + " of the shell)");
    constexpr bool is_of_node = false;
    return {std::min(share.bytes, shell->bytes), shell->option, shell->remedy(), is_of_node};
}

}  // namespace ventral::jobs
