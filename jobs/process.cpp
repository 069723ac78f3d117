#include "process.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>

#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include "core/allocator.hpp"
#include "core/number_text.hpp"
#include "isa.hpp"
#include "metrics/features.hpp"
#include "stats/blas_kernels.hpp"
#include "stats/linear_algebra.hpp"

namespace ventral::jobs {
namespace {

constexpr const char* restarted_variable = "VENTRAL_RESTARTED";

/// OpenBLAS chooses its kernels and starts threads of its own, with 128 MiB each, when it is
/// loaded.
void restart_with_fitting_blas(char** arguments) {
    if (std::getenv(restarted_variable)) return;
    const bool pinned = pin_isa(arguments);
    const auto core = pinned ? std::nullopt : stats::stronger_blas_core();
    if (!pinned && !core && !stats::has_blas_threads()) return;
    setenv(restarted_variable, "1", 1);
    if (core) setenv(stats::blas_core_variable, core->c_str(), 1);
    setenv(stats::blas_threads_variable, "1", 1);
    execv("/proc/self/exe", arguments);  // returns only if it failed: go on with what there is
}

/// Without these, tensors are mapped and unmapped for every batch; `core::KeepsFreedBlocks` has the
/// largest of them kept.
void keep_memory() {
    core::map_large_blocks();
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, 64 << 20);
    // An arena of a thread cannot grow beyond 64 MiB: tensors would be mapped after all.
    mallopt(M_ARENA_MAX, 1);
}

/// The tightest of a cgroup v2 file's values from the process's own group up to the root.
std::optional<double> cgroup_limit(
    const std::string& name, const std::function<std::optional<double>(std::ifstream&)>& read) {
    std::ifstream groups("/proc/self/cgroup");
    std::string line;
    std::optional<double> tightest;
    while (std::getline(groups, line)) {
        if (line.rfind("0::", 0) != 0) continue;
        std::string group = line.substr(3);
        for (;;) {
            std::ifstream file("/sys/fs/cgroup" + group + "/" + name);
            const auto limit = file ? read(file) : std::nullopt;
            if (limit && (!tightest || *limit < *tightest)) tightest = limit;
            if (group.empty() || group == "/") break;
            group = group.substr(0, group.rfind('/'));
        }
    }
    return tightest;
}

}  // namespace

std::optional<double> processor_quota() {
    return cgroup_limit("cpu.max", [](std::ifstream& file) -> std::optional<double> {
        std::string quota;
        double period = 0;
        if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
        const auto microseconds = core::parse_number(quota);
        return microseconds ? std::optional(*microseconds / period) : std::nullopt;
    });
}

namespace {

std::optional<double> memory_quota() {
    return cgroup_limit("memory.max", [](std::ifstream& file) -> std::optional<double> {
        std::string bytes;
        if (!(file >> bytes) || bytes == "max") return std::nullopt;
        return core::parse_number(bytes);
    });
}

std::optional<double> environment_number(const char* name) {
    const char* text = std::getenv(name);
    return text ? core::parse_number(text) : std::nullopt;
}

/// Slurm states mebibytes, per node or per processor.
std::optional<double> slurm_memory() {
    constexpr double mebibyte = 1 << 20;
    if (const auto node = environment_number("SLURM_MEM_PER_NODE")) return *node * mebibyte;
    const auto per_cpu = environment_number("SLURM_MEM_PER_CPU");
    const auto cpus = environment_number("SLURM_CPUS_ON_NODE");
    if (per_cpu && cpus) return *per_cpu * *cpus * mebibyte;
    return std::nullopt;
}

}  // namespace

void prepare_process(char** arguments) {
    restart_with_fitting_blas(arguments);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    std::signal(SIGXFSZ,
                SIG_IGN);  // a limit on file sizes is an error of the write, as a full disk
    stats::use_one_blas_thread();
    keep_memory();
}

std::vector<int> bound_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> processors;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return {0};
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &set)) processors.push_back(cpu);
    return processors;
}

std::size_t available_cores() {
    auto cores = static_cast<double>(bound_processors().size());
    if (const auto quota = processor_quota()) cores = std::min(cores, std::ceil(*quota));
    return std::max<std::size_t>(1, static_cast<std::size_t>(cores));
}

std::size_t machine_cores() { return static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)); }

double available_memory() {
    double bytes =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    for (const auto limit : {memory_quota(), slurm_memory()})
        if (limit) bytes = std::min(bytes, *limit);
    return bytes;
}

double memory_bound(const std::string& memory) {
    if (memory.empty()) return available_memory();
    return metrics::naming("--memory",
                           [&] { return static_cast<double>(core::parse_bytes(memory)); });
}

double own_memory(const std::string& what) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (word == what + ":") {
            double kibibytes = 0;
            status >> kibibytes;
            return kibibytes * 1024;
        }
    return 0;
}

double peak_memory() { return own_memory("VmHWM"); }

void forget_peak_memory() {
    core::give_back_freed_memory();
    std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace ventral::jobs
