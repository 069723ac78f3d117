#include "pipeline/plan/plan.hpp"

#include <memory>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "exit_codes.hpp"
#include "kept_files_options.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "network_trial.hpp"
#include "node_memory.hpp"
#include "plan_outlook.hpp"
#include "record_warnings.hpp"
#include "run_file.hpp"
#include "simulate_plan.hpp"
#include "simulate_ranks.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

struct PlanArguments {
    RunFileArguments run_file;
    SimulateArguments simulation;
    std::string out;
    std::string shard = "0/1";
    std::optional<std::size_t> threads;
    std::size_t ranks = 1;
    std::string memory;
    KeptFilesArguments kept;
    bool calibrate = false;
    bool explain = false;
    bool record = false;
    bool json = false;
};

MeasuredRun measured_run(const PlanArguments& arguments) {
    if (arguments.out.empty())
        throw core::InputError(
            "--simulate-ranks: needs the times of a run with one rank and one "
            "thread, give its folder with --out");
    const auto& start = arguments.simulation.start;
    const auto seconds = [&] { return core::parse_duration(start); };
    const auto known =
        arguments.calibrate
            ? measured_machine(arguments.out,
                               {.ranks = arguments.ranks,
                                .threads = worker_threads(arguments.threads, arguments.ranks)})
            : known_machine(arguments.out, {});
    return {arguments.out, start.empty() ? 0 : core::naming("--simulate-start", seconds),
            known.machine.calibration};
}

int plan(const PlanArguments& arguments) {
    if (!arguments.simulation.grid.empty() && !arguments.run_file.config.empty())
        throw core::InputError("--simulate-grid stands in place of CONFIG ('" +
                               arguments.run_file.config +
                               "') give several nodes as one word, for example --simulate 8,64");
    if (!arguments.simulation.grid.empty())
        return simulate_grid(arguments.simulation, format(arguments.json));
    if (arguments.run_file.config.empty())
        throw core::InputError("CONFIG is required (only --simulate-grid goes without)");
    const auto memory = node_memory(arguments.memory, arguments.ranks);
    const auto run = read_run_file(arguments.run_file);
    warn_of_records(run);
    auto known = arguments.out.empty() ? pipeline::HashCache()
                                       : pipeline::HashCache(pipeline::hashes_path(arguments.out),
                                                             pipeline::HashCache::Trust::yes);
    const auto facts = pipeline::gather_facts(run, crashing_networks, std::move(known));
    const auto made = pipeline::make_plan(run, facts, pipeline::parse_shard(arguments.shard));
    const bool simulates =
        !arguments.simulation.nodes.empty() || !arguments.simulation.ranks.empty();
    if (simulates) log_impossible(made);
    if (!arguments.simulation.nodes.empty() && !arguments.simulation.total.empty())
        return simulate_plan(arguments.simulation, run, made, facts, format(arguments.json));
    models::configure_torch();
    if (!arguments.simulation.ranks.empty())
        return simulate_ranks(arguments.simulation.ranks, measured_run(arguments), run, facts, made,
                              format(arguments.json));
    const bool simulates_arrays = !arguments.simulation.nodes.empty();
    const OutlookRequest request{
        run,
        facts,
        made,
        memory,
        arguments.ranks,
        worker_threads(arguments.threads, arguments.ranks),
        simulates_arrays ? "" : arguments.out,  // as if nothing were finished
        arguments.out,
        kept_files(arguments.kept),
        arguments.calibrate,
        arguments.explain};
    const auto outlook = outlook_of(request);
    log_problems(request, outlook);
    if (simulates_arrays) {
        for (const auto& unit : outlook.units)
            if (!unit.problem.empty())
                core::log_warning(unit.model + " on " + unit.dataset + ": " + unit.problem);
        return simulate_plan(arguments.simulation, run, made, facts, outlook.cost,
                             format(arguments.json));
    }
    if (arguments.record) record_estimates(arguments.out, made, outlook.units, outlook.cost);
    log_impossible(made);
    arguments.json ? print_json(request, outlook) : print(request, outlook);
    if (all_can_run(request, outlook)) return exit_done;
    return some_can_run(request, outlook) ? exit_some_failed : exit_failed;
}

}  // namespace

Subcommand add_plan(CLI::App& app) {
    const auto arguments = std::make_shared<PlanArguments>();
    auto* sub = app.add_subcommand(
        "plan",
        "what a run would do: units, sizes, memory, disk, arithmetic, time; exit 2 if something "
        "cannot run, 1 if nothing can");
    add_run_file_options(*sub, arguments->run_file);
    sub->get_option("CONFIG")->required(false);
    add_simulate_options(*sub, arguments->simulation);
    sub->add_option(
        "--out", arguments->out,
        "folder of the run, to tell what earlier runs have finished, and whether the disk holds "
        "the rest; if it is there, the hashes of all inputs are kept in it, so that no job reads "
        "what it does not use");
    sub->add_option("--shard", arguments->shard, "i/n: only this part of the work");
    add_threads_option(*sub, arguments->threads);
    sub->add_option("--ranks", arguments->ranks, "ranks on a node (default 1)")
        ->check(CLI::Range(1, 4096));
    sub->add_option("--memory", arguments->memory,
                    "memory of a node, for example 8GiB (default: what cgroup, Slurm or the "
                    "machine gives)");
    add_kept_files_options(*sub, arguments->kept);
    auto* nodes = sub->get_option("--simulate");
    auto* ranks = sub->get_option("--simulate-ranks");
    sub->add_flag("--explain", arguments->explain,
                  "say of each score whether it is reused from --out or computed, and why")
        ->excludes(nodes)
        ->excludes(ranks);
    sub->add_flag("--calibrate", arguments->calibrate,
                  "measure first how fast this machine is (less than a minute) and keep that in "
                  "OUT/calibration.json, without --out in the user's cache; no score depends on it")
        ->excludes(nodes);
    sub->add_flag("--record", arguments->record,
                  "keep the estimates of memory and time in the journal of --out: the records of a "
                  "run there have them beside what it measures")
        ->needs("--out")
        ->excludes(nodes)
        ->excludes(ranks);
    sub->add_flag("--json", arguments->json, "print one JSON object");
    return {sub, Ranks::first_only, [arguments](comm::Communicator&) { return plan(*arguments); }};
}

}  // namespace ventral::jobs
