#pragma once
/// @file
/// `ventral plan --simulate`: the schedule of a run, or of a grid that nobody has, on many nodes.

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "format.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/plan/plan.hpp"
#include "plan_cost.hpp"

namespace ventral::jobs {

struct SimulateArguments {
    std::vector<std::size_t> nodes;  ///< one array each; none: nothing is simulated
    std::vector<std::size_t> ranks;  ///< of one job, in place of arrays
    std::string grid;   ///< "500x100": models × benchmarks in place of the run's units
    std::string total;  ///< time that all units take on one node; empty: as they are planned
    std::optional<std::size_t> shards;
    std::string start;
    std::string start_bytes;
    std::string disk = "20GB";
    std::string node_disk = "1GB";
    std::string unit_disk;  ///< empty: what is planned, or 5MB
    std::string down = "1h";
    double errors = 0.3;
    double out_of_memory = 0.05;
    double failures = 0.001;
    std::uint64_t seed = 0;
};

void add_simulate_options(CLI::App& app, SimulateArguments& arguments);

/// Prints the table or one object; returns the exit code. Throws `core::InputError`.
int simulate_grid(const SimulateArguments& arguments, Format format);
/// With the times of `arguments`.
int simulate_plan(const SimulateArguments& arguments, const config::RunRecord& run,
                  const pipeline::RunPlan& plan, const pipeline::InputFacts& facts, Format format);
/// With those that are planned.
int simulate_plan(const SimulateArguments& arguments, const config::RunRecord& run,
                  const pipeline::RunPlan& plan, const pipeline::InputFacts& facts,
                  const PlanCost& cost, Format format);

}  // namespace ventral::jobs
