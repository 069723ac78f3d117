#include "run_limits.hpp"

#include <optional>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "node_memory.hpp"

namespace ventral::jobs {
namespace {

std::optional<double> duration(const std::string& option, const std::string& text) {
    if (text.empty()) return std::nullopt;
    return core::naming(option, [&] { return core::parse_duration(text); });
}

}  // namespace

void add_limit_options(CLI::App& app, RunLimits& limits) {
    app.add_option(
        "--memory", limits.memory,
        "memory of a node, for example 8GiB, of which each rank may take its share; "
        "what needs more fails, and a run with more tries it again (default: the limit of "
        "the cgroup or of Slurm; without one each may take all that the machine has); a rank may "
        "take no more than the shell's ulimit -d and -v in any case");
    app.add_option("--max-time", limits.max_time,
                   "stop at a safe point after this time, for example 3h50m; a bare number is "
                   "seconds");
    app.add_option(
        "--unit-timeout", limits.unit_timeout,
        "end a run whose unit or ceiling has come to the end of nothing (batch, slab, "
        "fold, checkpoint) for so long, for example 1h (default: 30m, for each of the trials "
        "that a batch is shown in, and longer for more than 1000 stimuli, 3h of 10000; 24h for "
        "features without a table of stimuli; 0: never): the next start runs it alone, "
        "after all others, and when that ends so too the one after leaves it out as "
        "'timeout' until --retry-failed; the trial of a network before it runs is limited by "
        "VENTRAL_TRIAL_SECONDS (default: 120 of processor time)");
}

void set_limits(const RunLimits& limits, pipeline::RunOptions& options) {
    node_memory(limits.memory);
    options.max_seconds = duration("--max-time", limits.max_time);
    options.unit_timeout = duration("--unit-timeout", limits.unit_timeout);
}

}  // namespace ventral::jobs
