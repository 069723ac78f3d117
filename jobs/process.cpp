#include "process.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include "core/allocator.hpp"
#include "core/control_group.hpp"
#include "core/library_destructors.hpp"
#include "core/private_memory.hpp"
#include "isa.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/watch/stop.hpp"
#include "start_again.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::jobs {
namespace {

constexpr const char* restarted_variable = "VENTRAL_RESTARTED";

bool has_value(const char* variable, std::string_view value) {
    const char* now = std::getenv(variable);
    return now && now == value;
}

bool is_subcommand(char** arguments, std::initializer_list<const char*> names) {
    const std::string_view subcommand = arguments[0] && arguments[1] ? arguments[1] : "";
    return std::find(names.begin(), names.end(), subcommand) != names.end();
}

bool asks_for_help(char** arguments) {
    for (; *arguments; ++arguments)
        if (std::string_view(*arguments) == "--help" || std::string_view(*arguments) == "-h")
            return true;
    return false;
}

/// Until the program is ready to stop at a safe point, signals that ask for it wait: most of a
/// start is still to come.
void hold_stop_signals_of(char** arguments) {
    if (is_subcommand(arguments, {"run", "select-layers", "verify", "extract"}))
        pipeline::hold_stop_signals();
}

/// In place of those that were closed, for else the next file to be opened would be where results
/// or messages are written. To write results stays an error then.
void open_standard_descriptors() {
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(each, F_GETFD) < 0)
            (void)open("/dev/null", each == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

std::vector<std::string> words_of(char** arguments) {
    std::vector<std::string> words;
    for (; *arguments; ++arguments) words.emplace_back(*arguments);
    return words;
}

/// OpenBLAS chooses its kernels and starts threads of its own, with 128 MiB each, when it is
/// initialised. What needs networks goes on in the program that has them.
void restart_with_what_fits(int, char** arguments, char** variables) {
    open_standard_descriptors();
    environ = variables;  // which the C library, too, is about to do
    hold_stop_signals_of(arguments);
    // What a parent process has set says nothing of this one; exec keeps the number.
    const std::string self = std::to_string(getpid());
    if (has_value(restarted_variable, self)) return;
    const bool stays = asks_for_help(arguments) || !is_for_networks_program(arguments);
    const bool pinned = pin_isa(arguments);
    const auto core = pinned ? std::nullopt : stats::stronger_core_to_come();
    if (stays && !pinned && !core && has_value(stats::blas_threads_variable, "1")) return;
    setenv(restarted_variable, self.c_str(), 1);
    if (core) setenv(stats::blas_core_variable, core->c_str(), 1);
    setenv(stats::blas_threads_variable, "1", 1);
    auto command = stays ? command_to_start(words_of(arguments))
                         : command_to_start_networks(words_of(arguments));
    execv(command.executable.c_str(), pointers_to(command.words).data());
    // It returns only if it failed: go on with what there is.
}

/// The loader calls it before it initialises any library, since most of a start is that of
/// libtorch. Variables that are set so early are lost but for a restart.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = restart_with_what_fits;

/// Without these, images and layers of every batch, and the matrices of every fold, are mapped and
/// unmapped; `core::KeepsFreedBlocks` has the largest of a batch kept.
void keep_memory() {
    core::map_large_blocks();
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    // Near a bound of memory the heap grows by no less than this, or not at all.
    mallopt(M_TOP_PAD, 1 << 20);
    // An arena of a thread cannot grow beyond 64 MiB: large blocks would be mapped after all.
    mallopt(M_ARENA_MAX, 1);
}

}  // namespace

bool is_for_networks_program(char** arguments) {
    return !models::has_networks() &&
           is_subcommand(arguments, {"run", "plan", "check", "layers", "extract", "select-layers",
                                     "verify", "demo"});
}

void prepare_process() {
    core::skip_library_destructors();
    setenv("OMP_NUM_THREADS", "1", 1);
    // Of libtorch's descriptions of operators: few networks have more, a thousand fill some 20 MB.
    setenv("LRU_CACHE_CAPACITY", "256", 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    // A limit on file sizes, or a reader that has gone, is an error of the write, as a full disk.
    for (const int number : {SIGXFSZ, SIGPIPE}) std::signal(number, SIG_IGN);
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

void bind_to(const std::vector<int>& processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : processors) CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

std::size_t within_quota(std::size_t processors) {
    auto cores = static_cast<double>(processors);
    if (const auto quota = core::group_processors()) cores = std::min(cores, std::ceil(*quota));
    return std::max<std::size_t>(1, static_cast<std::size_t>(cores));
}

std::size_t machine_cores() { return static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)); }

double peak_memory() { return core::own_memory("VmHWM"); }

void forget_peak_memory() {
    core::give_back_freed_memory();
    std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace ventral::jobs
