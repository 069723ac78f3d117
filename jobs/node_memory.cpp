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

}  // namespace

NodeMemory available_memory() {
    NodeMemory least{
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
        0, "the machine", "take a machine with more memory", false};
    for (const auto& limit : {cgroup_memory(), slurm_memory()})
        if (limit && limit->bytes < least.bytes) least = *limit;
    return least;
}

std::optional<ShellLimit> shell_limit() {
    std::optional<ShellLimit> tightest;
    const auto look = [&](auto resource, const char* counted, const char* option) {
        rlimit limit{};
        if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
        const auto most = static_cast<double>(limit.rlim_cur);
        const double room = most - core::own_memory(counted);
        const double bytes = core::own_memory("VmRSS") + std::max(room, 0.0);
        if (!tightest || bytes < tightest->bytes) tightest = ShellLimit{bytes, most, option};
    };
    look(RLIMIT_DATA, "VmData", "ulimit -d");
    look(RLIMIT_AS, "VmSize", "ulimit -v");
    return tightest;
}

NodeMemory node_memory(const std::string& memory) {
    if (memory.empty()) return available_memory();
    return {
        core::naming("--memory", [&] { return static_cast<double>(core::parse_bytes(memory)); }), 0,
        "--memory", "raise --memory"};
}

NodeMemory node_memory(const std::string& memory, std::size_t ranks) {
    const auto allowed = node_memory(memory);
    const auto count = static_cast<double>(ranks);
    const auto shell = shell_limit();
    if (!shell || shell->bytes >= (allowed.is_limited ? allowed.bytes / count : allowed.bytes))
        return allowed;
    return {shell->bytes * count, 0, shell->option, shell->remedy()};
}

}  // namespace ventral::jobs
