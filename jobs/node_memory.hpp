#pragma once
/// @file
/// How much memory the ranks of this node may take, and who says so.

#include <cstddef>
#include <optional>
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

/// What the shell bounds each process to, which Slurm hands on.
struct ShellLimit {
    double bytes = 0;    ///< that this process may come to in memory
    double most = 0;     ///< of what the limit counts
    std::string option;  ///< "ulimit -d" or "ulimit -v"

    std::string remedy() const { return "raise " + option; }
};

/// The tighter one, if there is any.
std::optional<ShellLimit> shell_limit();

/// What --memory says, for example "8GiB", or `available_memory` where it says nothing. Throws
/// `core::InputError` that names the option.
NodeMemory node_memory(const std::string& memory);
/// The same, or less if the shell bounds each of `ranks` processes more tightly.
NodeMemory node_memory(const std::string& memory, std::size_t ranks);

}  // namespace ventral::jobs
