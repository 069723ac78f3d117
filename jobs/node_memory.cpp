#include "node_memory.hpp"

#include <cstdlib>
#include <optional>

#include <unistd.h>

#include "core/control_group.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::jobs {
namespace {

constexpr double mebibyte = 1 << 20;

/// Slurm writes 0 where it sets no limit.
std::optional<double> environment_number(const char* name) {
    const char* text = std::getenv(name);
    const auto number = text ? core::parse_number(text) : std::nullopt;
    return number && *number > 0 ? number : std::nullopt;
}

/// Slurm states mebibytes, per node or per processor.
std::optional<NodeMemory> slurm_memory() {
    if (const auto node = environment_number("SLURM_MEM_PER_NODE"))
        return NodeMemory{*node * mebibyte, 0, "SLURM_MEM_PER_NODE", "ask Slurm for more (--mem)"};
    const auto per_cpu = environment_number("SLURM_MEM_PER_CPU");
    const auto cpus = environment_number("SLURM_CPUS_ON_NODE");
    if (per_cpu && cpus)
        return NodeMemory{*per_cpu * *cpus * mebibyte, 0, "SLURM_MEM_PER_CPU × SLURM_CPUS_ON_NODE",
                          "ask Slurm for more (--mem-per-cpu)"};
    return std::nullopt;
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

NodeMemory node_memory(const std::string& memory) {
    if (memory.empty()) return available_memory();
    return {
        core::naming("--memory", [&] { return static_cast<double>(core::parse_bytes(memory)); }), 0,
        "--memory", "raise --memory"};
}

}  // namespace ventral::jobs
