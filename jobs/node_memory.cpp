#include "node_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <sys/resource.h>
#include <unistd.h>

#include "core/control_group.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/private_memory.hpp"

namespace ventral::jobs {
namespace {

constexpr double mebibyte = 1 << 20;

/// Slurm writes 0 where it sets no limit.
std::optional<double> environment_number(const char* name) {
    const char* text = std::getenv(name);
    const auto number = text ? core::parse_number(text) : std::nullopt;
    return number && *number > 0 ? number : std::nullopt;
}

/// Of a limit that is stated for each of what a node has so many of.
std::optional<NodeMemory> slurm_memory_per(const std::string& unit, const std::string& count,
                                           const std::string& option) {
    const auto each = environment_number(unit.c_str());
    const auto units = environment_number(count.c_str());
    if (!each || !units) return std::nullopt;
    return NodeMemory{*each * *units * mebibyte, 0, unit + " × " + count,
                      "ask Slurm for more (" + option + ")"};
}

/// Slurm states mebibytes, in one of these ways.
std::optional<NodeMemory> slurm_memory() {
    if (const auto node = environment_number("SLURM_MEM_PER_NODE"))
        return NodeMemory{*node * mebibyte, 0, "SLURM_MEM_PER_NODE", "ask Slurm for more (--mem)"};
    if (auto cpus = slurm_memory_per("SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE", "--mem-per-cpu"))
        return cpus;
    return slurm_memory_per("SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE", "--mem-per-gpu");
}

std::optional<NodeMemory> cgroup_memory() {
    const auto group = core::group_memory();
    return group ? std::optional(NodeMemory{group->bytes, group->used, group->file,
                                            "raise the limit of the cgroup (under Slurm: --mem)"})
                 : std::nullopt;
}

/// Of each process: `field` of /proc/self/status is what the limit counts, `resident` what of it is
/// in memory.
struct ShellLimit {
    int resource;
    const char* field;
    const char* resident;
    const char* option;
};

/// What a process may have in memory then.
std::optional<double> bytes_within(const ShellLimit& shell) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(shell.resource), &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
        return std::nullopt;
    const double reserved = core::own_memory(shell.field) - core::own_memory(shell.resident);
    return std::max(0.0, static_cast<double>(limit.rlim_cur) - reserved);
}

NodeMemory within_shell_limits(NodeMemory memory, std::size_t ranks) {
    const auto count = static_cast<double>(ranks);
    for (const auto& shell : {ShellLimit{RLIMIT_DATA, "VmData", "RssAnon", "ulimit -d"},
                              ShellLimit{RLIMIT_AS, "VmSize", "VmRSS", "ulimit -v"}}) {
        const auto each = bytes_within(shell);
        if (each && *each < (memory.is_limited ? memory.bytes / count : memory.bytes))
            memory = {*each * count, 0, shell.option, std::string("raise ") + shell.option};
    }
    return memory;
}

}  // namespace

NodeMemory available_memory() {
    NodeMemory least{
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
        0, "the machine", "take a machine with more memory", false};
    for (const auto& limit : {cgroup_memory(), slurm_memory()})
        if (limit && limit->bytes < least.bytes) least = *limit;
    return least;
}

NodeMemory node_memory(const std::string& memory, std::size_t ranks) {
    if (memory.empty()) return within_shell_limits(available_memory(), ranks);
    const auto bytes = core::naming("--memory", [&] { return core::parse_bytes(memory); });
    return within_shell_limits({static_cast<double>(bytes), 0, "--memory", "raise --memory"},
                               ranks);
}

}  // namespace ventral::jobs
