#include "simulate_plan.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "exit_codes.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "pipeline/plan/shards.hpp"
#include "pipeline/simulation/simulate.hpp"
#include "pipeline/simulation/simulated_grid.hpp"

namespace ventral::jobs {
namespace {

constexpr double grid_sigma = 1.5;
constexpr double grid_mean_seconds = 600;
constexpr double grid_weight_bytes = 100e6;
/// Of the journal, which each task reads (measured: 41167 bytes of 14 scores of the demo).
constexpr double journal_bytes_a_score = 3e3;
constexpr std::size_t most_units = 10000000;
constexpr std::size_t shards_a_node = 16;
constexpr const char* default_unit_disk = "5MB";

/// What is simulated: units, what each reads of weights, and what every task reads to know what is
/// to do: the journal, as long as it is at the end of the night. The hashes of all weights are
/// known by then from the job that plans; a task hashes those of its own units while it reads them.
struct Night {
    std::vector<double> seconds;
    std::vector<double> weight_bytes;
    std::vector<double> read_bytes, write_bytes;  ///< of all units, with weights, or not known
    double start_bytes = 0;
    double planning_bytes = 0;  ///< of all weights, read once before the array starts
};

std::string percent(double share) { return core::fixed_text(100 * share, 1) + " %"; }

std::pair<std::size_t, std::size_t> parse_grid(const std::string& text) {
    const auto cross = text.find('x');
    const auto models = core::parse_integer(text.substr(0, cross));
    const auto benchmarks =
        cross == std::string::npos ? std::nullopt : core::parse_integer(text.substr(cross + 1));
    constexpr auto most = static_cast<std::int64_t>(most_units);
    if (!models || !benchmarks || *models < 1 || *benchmarks < 1 || *models > most ||
        *benchmarks > most / *models)
        throw core::InputError("--simulate-grid: '" + text +
                               "' is no grid (give models x benchmarks, for example 500x100, at "
                               "most 10 million together)");
    return {static_cast<std::size_t>(*models), static_cast<std::size_t>(*benchmarks)};
}

double seconds_of(const char* option, const std::string& text) {
    return core::naming(option, [&] { return core::parse_duration(text); });
}

double bytes_of(const char* option, const std::string& text) {
    return core::naming(option, [&] { return static_cast<double>(core::parse_bytes(text)); });
}

double unit_bytes(const SimulateArguments& arguments) {
    return bytes_of("--simulate-unit-disk",
                    arguments.unit_disk.empty() ? default_unit_disk : arguments.unit_disk);
}

double total_seconds(const SimulateArguments& arguments) {
    const double seconds = seconds_of("--simulate-seconds", arguments.total);
    if (!(seconds > 0)) throw core::InputError("--simulate-seconds: is to be more than nothing");
    return seconds;
}

Night night_of_grid(const SimulateArguments& arguments) {
    const auto [models, benchmarks] = parse_grid(arguments.grid);
    const std::size_t count = models * benchmarks;
    const double mean = arguments.total.empty()
                            ? grid_mean_seconds
                            : total_seconds(arguments) / static_cast<double>(count);
    Night night;
    night.seconds = pipeline::log_normal_seconds(count, grid_sigma, mean, arguments.seed);
    night.weight_bytes.assign(count, grid_weight_bytes);
    night.start_bytes = journal_bytes_a_score * static_cast<double>(count);
    night.planning_bytes = grid_weight_bytes * static_cast<double>(models);
    return night;
}

/// All but times and traffic.
Night night_of_run(const config::RunRecord& run, const pipeline::RunPlan& plan,
                   const pipeline::InputFacts& facts) {
    Night night;
    for (const auto& unit : plan.units) {
        night.weight_bytes.push_back(facts.of(run.models[unit.model]).weight_bytes);
        night.start_bytes += journal_bytes_a_score * static_cast<double>(unit.scores.size());
    }
    for (const auto& [name, model] : facts.models) night.planning_bytes += model.weight_bytes;
    return night;
}

/// What the units take if they take `total` seconds together.
std::vector<double> shared_seconds(const pipeline::RunPlan& plan, double total) {
    std::vector<double> seconds;
    for (const auto& unit : plan.units) seconds.push_back(unit.cost);
    seconds = pipeline::with_guesses(std::move(seconds));
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (auto& each : seconds) each *= total / sum;
    return seconds;
}

/// Times and traffic as they are planned; a unit that could not be probed is like the others.
void take_planned(const PlanCost& cost, Night& night) {
    for (std::size_t u = 0; u < cost.work.size(); ++u) {
        night.seconds.push_back(cost.seconds[u].total() - cost.seconds[u].disk);
        night.read_bytes.push_back(cost.work[u].read_bytes);
        night.write_bytes.push_back(cost.work[u].written_bytes);
    }
    night.seconds = pipeline::with_guesses(std::move(night.seconds));
    if (cost.known.path.empty())
        core::log_warning(
            "the times are of guessed rates: ventral plan --calibrate measures this machine");
}

double positive_bytes(const char* option, const std::string& text) {
    const double bytes = bytes_of(option, text);
    if (!(bytes > 0)) throw core::InputError(std::string(option) + ": is to be more than nothing");
    return bytes;
}

/// But for nodes and shards.
pipeline::SimulatedArray array_of(const SimulateArguments& arguments, const Night& night) {
    pipeline::SimulatedArray array;
    array.start_seconds =
        arguments.start.empty() ? 30 : seconds_of("--simulate-start", arguments.start);
    array.start_bytes = arguments.start_bytes.empty()
                            ? night.start_bytes
                            : bytes_of("--simulate-start-bytes", arguments.start_bytes);
    array.disk_bytes_per_second = positive_bytes("--simulate-disk", arguments.disk);
    array.node_bytes_per_second = positive_bytes("--simulate-node-disk", arguments.node_disk);
    array.cost_error = arguments.errors;
    array.out_of_memory = arguments.out_of_memory;
    array.failures_per_node_hour = arguments.failures;
    array.down_seconds = seconds_of("--simulate-down", arguments.down);
    array.seed = arguments.seed;
    return array;
}

bool moves_as_planned(const Night& night, const SimulateArguments& arguments) {
    return arguments.unit_disk.empty() && !night.read_bytes.empty();
}

std::vector<pipeline::SimulatedUnit> units_of(const Night& night,
                                              const SimulateArguments& arguments) {
    const bool planned = moves_as_planned(night, arguments);
    const double bytes = unit_bytes(arguments);
    std::vector<pipeline::SimulatedUnit> units;
    for (std::size_t u = 0; u < night.seconds.size(); ++u) {
        const double half = night.seconds[u] * bytes / 2;
        if (planned)
            units.push_back({night.seconds[u], night.read_bytes[u], night.write_bytes[u]});
        else
            units.push_back({night.seconds[u], night.weight_bytes[u] + half, half});
    }
    return units;
}

nlohmann::ordered_json json_of(const pipeline::SimulatedArray& array,
                               const pipeline::ArrayOutcome& outcome) {
    const double bound = pipeline::resource_bound(outcome, array.nodes);
    return {{"nodes", array.nodes},
            {"shards", array.shards},
            {"seconds", outcome.seconds},
            {"bound_seconds", bound},
            {"efficiency", bound / outcome.seconds},
            {"longest_unit_seconds", outcome.longest},
            {"node_seconds",
             {{"work", outcome.work},
              {"idle", outcome.idle},
              {"waiting_for_disk", outcome.waiting},
              {"starting", outcome.starting},
              {"lost", outcome.lost},
              {"down", outcome.down}}},
            {"node_failures", outcome.failures},
            {"repeated_units", outcome.repeated},
            {"out_of_memory", outcome.out_of_memory}};
}

leaderboard::TextRow row_of(const pipeline::SimulatedArray& array,
                            const pipeline::ArrayOutcome& outcome) {
    const double bound = pipeline::resource_bound(outcome, array.nodes);
    const double all = outcome.seconds * static_cast<double>(array.nodes);
    return {std::to_string(array.nodes),          std::to_string(array.shards),
            core::duration_text(outcome.seconds), core::duration_text(bound),
            percent(bound / outcome.seconds),     percent(outcome.work / all),
            percent(outcome.idle / all),          percent(outcome.waiting / all),
            percent(outcome.starting / all),      percent((outcome.lost + outcome.down) / all),
            std::to_string(outcome.failures),     std::to_string(outcome.repeated),
            std::to_string(outcome.out_of_memory)};
}

std::string assumptions(const Night& night, const pipeline::SimulatedArray& array,
                        const SimulateArguments& arguments) {
    const double sum = std::accumulate(night.seconds.begin(), night.seconds.end(), 0.0);
    const double longest = *std::max_element(night.seconds.begin(), night.seconds.end());
    const std::string traffic =
        moves_as_planned(night, arguments)
            ? "what is planned"
            : core::bytes_text(unit_bytes(arguments)) + " a second and the weights of its model";
    return core::counted(night.seconds.size(), "unit") + " of " +
           core::duration_text(sum / static_cast<double>(night.seconds.size())) +
           " on average, together " + core::duration_text(sum) + ", the longest " +
           core::duration_text(longest) + ", as planned\nreally up to " +
           percent(array.cost_error) + " more or less; " + percent(array.out_of_memory) +
           " run out of memory; " + core::number_text(array.failures_per_node_hour) +
           " failures a node-hour; seed " + std::to_string(array.seed) + "\ndisk " +
           core::bytes_text(array.disk_bytes_per_second) + "/s, of which a node takes " +
           core::bytes_text(array.node_bytes_per_second) + "/s; a unit moves " + traffic +
           "; a task starts in " + core::fixed_text(array.start_seconds, 0) + " s and reads " +
           core::bytes_text(array.start_bytes) + "\nbefore the array the job that plans reads " +
           core::bytes_text(night.planning_bytes) +
           " of weights where it does not know them yet, in " +
           core::duration_text(night.planning_bytes / array.node_bytes_per_second) +
           " (not part of the times)\n";
}

int simulate(const SimulateArguments& arguments, const Night& night, Format format) {
    if (night.seconds.empty()) throw core::InputError("--simulate: there is no unit to simulate");
    const auto units = units_of(night, arguments);
    auto array = array_of(arguments, night);
    auto results = nlohmann::ordered_json::array();
    std::vector<leaderboard::TextRow> rows = {{"nodes", "shards", "time", "bound", "bound/time",
                                               "work", "idle", "disk", "start", "failed",
                                               "failures", "repeated", "no memory"}};
    for (const auto nodes : arguments.nodes) {
        array.nodes = nodes;
        array.shards = arguments.shards.value_or(std::min(shards_a_node * nodes, units.size()));
        const auto outcome = pipeline::simulate_array(units, array);
        results.push_back(json_of(array, outcome));
        rows.push_back(row_of(array, outcome));
    }
    if (format == Format::json)
        std::cout << nlohmann::ordered_json(
                         {{"units", units.size()}, {"seed", array.seed}, {"arrays", results}})
                         .dump(2)
                  << "\n";
    else
        std::cout << assumptions(night, array, arguments) << "\n"
                  << leaderboard::aligned_columns(rows, 0)
                  << "\nbound: the longest unit, or all work on all nodes; work … failed: of all "
                     "nodes' time\n";
    return exit_done;
}

void add_cluster_options(CLI::App& app, SimulateArguments& arguments) {
    const char* group = "Simulation";
    app.add_option("--simulate-start", arguments.start,
                   "what a task takes to start (default 30s); with --simulate-ranks what the job "
                   "takes before its ceilings and after its units (default 0)")
        ->group(group);
    app.add_option(
           "--simulate-start-bytes", arguments.start_bytes,
           "what a task reads to start (default: 3 kB of journal for each score of the run; "
           "without OUT/hashes.json it would be all weights of the run)")
        ->group(group);
    app.add_option("--simulate-disk", arguments.disk,
                   "bytes a second of the disk that all nodes share (default 20GB)")
        ->group(group);
    app.add_option("--simulate-node-disk", arguments.node_disk,
                   "bytes a second that one node takes of it at most (default 1GB)")
        ->group(group);
    app.add_option(
           "--simulate-unit-disk", arguments.unit_disk,
           "bytes that a unit moves for each second that it computes, half of them before "
           "and half after (default: what the plan says, without times of its own 5MB); the "
           "weights of its model, of a grid 100 MB, come on top")
        ->group(group);
    app.add_option("--simulate-down", arguments.down,
                   "after which time a failed node is back (default 1h)")
        ->group(group);
}

}  // namespace

void add_simulate_options(CLI::App& app, SimulateArguments& arguments) {
    const char* group = "Simulation";
    auto* nodes = app.add_option("--simulate", arguments.nodes,
                                 "how long a Slurm array of shards would take on so many nodes, as "
                                 "if nothing were finished; several numbers (8,64): a line each")
                      ->delimiter(',')
                      ->allow_extra_args(false)
                      ->check(CLI::Range(1, 100000))
                      ->group(group);
    app.add_option("--simulate-ranks", arguments.ranks,
                   "how long the run would take on one node with so many ranks of one thread, from "
                   "the times that a run with one rank and one thread has left in --out")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 4096))
        ->excludes(nodes)
        ->group(group);
    app.add_option("--simulate-shards", arguments.shards,
                   "tasks of the array (default: 16 a node, at most one a unit)")
        ->check(CLI::Range(1, 10000000))
        ->group(group);
    app.add_option("--simulate-seconds", arguments.total,
                   "what all units take together on one node, for example 40h (default: what the "
                   "plan says, and of a grid 10 minutes each)")
        ->group(group);
    app.add_option("--simulate-grid", arguments.grid,
                   "500x100: in place of CONFIG so many models and benchmarks, each a unit, with "
                   "log-normal times (sigma 1.5, mean 10 minutes)")
        ->needs(nodes)
        ->group(group);
    app.add_option("--simulate-errors", arguments.errors,
                   "by which share a unit may be longer or shorter than planned (default 0.3)")
        ->check(CLI::Range(0.0, 1.0))
        ->group(group);
    app.add_option("--simulate-out-of-memory", arguments.out_of_memory,
                   "share of the units that end so (default 0.05)")
        ->check(CLI::Range(0.0, 1.0))
        ->group(group);
    app.add_option("--simulate-failures", arguments.failures,
                   "failures of a node in an hour (default 0.001)")
        ->check(CLI::Range(0.0, 1000.0))
        ->group(group);
    app.add_option("--simulate-seed", arguments.seed, "of all that is random (default 0)")
        ->group(group);
    add_cluster_options(app, arguments);
}

int simulate_grid(const SimulateArguments& arguments, Format format) {
    return simulate(arguments, night_of_grid(arguments), format);
}

int simulate_plan(const SimulateArguments& arguments, const config::RunRecord& run,
                  const pipeline::RunPlan& plan, const pipeline::InputFacts& facts, Format format) {
    auto night = night_of_run(run, plan, facts);
    night.seconds = shared_seconds(plan, total_seconds(arguments));
    return simulate(arguments, night, format);
}

int simulate_plan(const SimulateArguments& arguments, const config::RunRecord& run,
                  const pipeline::RunPlan& plan, const pipeline::InputFacts& facts,
                  const PlanCost& cost, Format format) {
    auto night = night_of_run(run, plan, facts);
    take_planned(cost, night);
    return simulate(arguments, night, format);
}

}  // namespace ventral::jobs
