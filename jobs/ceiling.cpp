#include <chrono>
#include <cstdio>
#include <memory>

#include "bootstrap_option.hpp"
#include "config/metric_params.hpp"
#include "core/errors.hpp"
#include "core/seconds_since.hpp"
#include "exit_codes.hpp"
#include "first_rank.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/ceilings.hpp"
#include "params_option.hpp"
#include "print_score.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

struct CeilingArguments {
    std::string name;
    std::string assembly;
    std::string params = "{}";
    std::optional<std::string> variable;
    std::vector<std::string> bootstrap;
    std::optional<std::size_t> threads;
    bool timing = false;
    bool json = false;
};

core::Score compute(const CeilingArguments& arguments, std::size_t ranks) {
    const auto& ceiling = metrics::find_ceiling(arguments.name);
    core::naming(params_place(arguments.params),
                 [&] { config::check_ceiling_params(read_params(arguments.params)); });
    core::Workers workers(worker_threads_alone(arguments.threads, ranks));
    const auto start = std::chrono::steady_clock::now();
    const auto recordings =
        io::read_assembly(arguments.assembly, {arguments.variable, {}, "--variable", {}});
    const double read_s = core::seconds_since(start);
    auto score =
        core::naming(arguments.assembly, [&] { return ceiling.compute(recordings, workers); });
    if (arguments.timing)
        std::fprintf(stderr, "timing: read %.3f s, fit %.3f s\n", read_s,
                     core::seconds_since(start) - read_s);
    add_bootstrap_error(arguments.bootstrap, score);
    return score;
}

}  // namespace

Subcommand add_ceiling(CLI::App& app) {
    const auto arguments = std::make_shared<CeilingArguments>();
    auto* sub = app.add_subcommand(
        "ceiling", "one ceiling on an assembly with repetitions; under mpirun as metric");
    sub->add_option("NAME", arguments->name, "registered name, for example internal_consistency")
        ->required();
    sub->add_option("--assembly", arguments->assembly, "the recordings (netCDF)")->required();
    sub->add_option(
        "--params", arguments->params,
        "JSON, or @FILE, with the parameters of the ceiling, which has none that changes it: {}");
    sub->add_option("--variable", arguments->variable, "data variable of the file");
    add_bootstrap_option(*sub, arguments->bootstrap);
    add_threads_option(*sub, arguments->threads);
    sub->add_flag("--timing", arguments->timing,
                  "say on stderr how long reading and computing took");
    sub->add_flag("--json", arguments->json, "print one JSON object with all digits");
    return {sub, Ranks::all, [arguments](comm::Communicator& world) {
                return on_first_rank(world, [&](std::size_t ranks) {
                    print_score(compute(*arguments, ranks), format(arguments->json));
                    return exit_done;
                });
            }};
}

}  // namespace ventral::jobs
