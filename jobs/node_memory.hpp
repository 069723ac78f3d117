#pragma once
/// @file
/// How much memory the ranks of this node may take, and who says so.

#include <cstddef>
#include <string>

namespace ventral::jobs {

struct NodeMemory {
    double bytes = 0;
    double used = 0;         ///< of them, by all processes that the limit is for, this one too
    std::string source;      ///< "--memory", a file of a cgroup, a variable of Slurm, "the machine"
    std::string remedy;      ///< what gives more: "raise --memory"
    bool is_limited = true;  ///< false: it is all that the machine has
};

/// The tightest limit of the process's cgroups and of Slurm's environment; without one, what the
/// machine has.
NodeMemory available_memory();

/// What --memory says, for example "8GiB", or `available_memory` where it says nothing; less if the
/// shell bounds each of the node's `ranks` more tightly (ulimit -d and -v, which Slurm hands on).
/// Throws `core::InputError` that names the option.
NodeMemory node_memory(const std::string& memory, std::size_t ranks);

}  // namespace ventral::jobs
