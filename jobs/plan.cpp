#include "pipeline/plan.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "exit_codes.hpp"
#include "io/journal.hpp"
#include "leaderboard/records.hpp"
#include "metrics/features.hpp"
#include "metrics/registered_metrics.hpp"
#include "models/torch_runtime.hpp"
#include "network_trial.hpp"
#include "node_memory.hpp"
#include "pipeline/ceiling_memory.hpp"
#include "pipeline/ceilings.hpp"
#include "pipeline/containment.hpp"
#include "pipeline/estimate.hpp"
#include "pipeline/failure_log.hpp"
#include "pipeline/few_features.hpp"
#include "pipeline/fit_parts.hpp"
#include "pipeline/unit_history.hpp"
#include "plan_cost.hpp"
#include "plan_explain.hpp"
#include "process.hpp"
#include "run_file.hpp"
#include "simulate_plan.hpp"
#include "simulate_ranks.hpp"
#include "stats/blas_kernels.hpp"
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
    bool calibrate = false;
    bool explain = false;
    bool record = false;
    bool json = false;
};

nlohmann::ordered_json json_of(const pipeline::UnitEstimate& estimate) {
    nlohmann::ordered_json json = {{"model", estimate.model},
                                   {"dataset", estimate.dataset},
                                   {"stimuli", estimate.stimuli},
                                   {"scores", estimate.scores},
                                   {"finished", estimate.finished},
                                   {"gram_rows", estimate.gram_rows},
                                   {"program_bytes_a_rank", estimate.program_bytes_a_rank},
                                   {"memory_bytes", estimate.memory_bytes},
                                   {"activation_bytes", estimate.activation_bytes}};
    for (const auto& layer : estimate.layers) json["layers"][layer.name] = layer.features;
    for (const auto& stage : estimate.stages)
        json["memory_stages"].push_back({{"stage", stage.name},
                                         {"shared_bytes", stage.shared},
                                         {"first_rank_bytes", stage.first_rank},
                                         {"other_ranks_bytes", stage.other_ranks},
                                         {"bytes_a_rank", stage.a_rank}});
    if (!estimate.problem.empty()) json["problem"] = estimate.problem;
    if (!estimate.left_out.empty()) json["left_out"] = estimate.left_out;
    json["can_run"] = estimate.can_run;
    return json;
}

/// "fits to layer4: 2 GB shared, 1 GB of the first rank, 0.2 GB and program 0.1 GB a rank".
std::string memory_text(const pipeline::UnitEstimate& estimate, std::size_t ranks) {
    const auto& stage = estimate.largest_stage(ranks);
    std::string text = stage.name + ": " + core::bytes_text(stage.shared) + " shared, ";
    if (stage.first_rank > 0) text += core::bytes_text(stage.first_rank) + " of the first rank, ";
    if (stage.other_ranks > 0) text += core::bytes_text(stage.other_ranks) + " of each other, ";
    return text + core::bytes_text(stage.a_rank) + " and program " +
           core::bytes_text(estimate.program_bytes_a_rank) + " a rank";
}

void print(const pipeline::UnitEstimate& estimate, const std::string& cost, std::size_t ranks) {
    std::cout << estimate.model << " on " << estimate.dataset << ": "
              << core::counted(estimate.scores, "score") << " (" << estimate.finished
              << " finished)";
    if (!estimate.stages.empty())
        std::cout << ", " << estimate.stimuli << " stimuli, memory "
                  << core::bytes_text(estimate.memory_bytes) << " (" << memory_text(estimate, ranks)
                  << "), activations " << core::bytes_text(estimate.activation_bytes) << " on disk";
    std::cout << "\n";
    for (const auto& layer : estimate.layers)
        std::cout << "    " << layer.name << ": " << core::counted(layer.features, "feature")
                  << "\n";
    if (!estimate.left_out.empty()) std::cout << "    cannot run: " << estimate.left_out << "\n";
    if (estimate.finished < estimate.scores && !estimate.stages.empty())
        std::cout << "    left to do: " << cost << "\n";
    if (!estimate.problem.empty())
        std::cout << (estimate.can_run ? "    cannot run in part: " : "    cannot run: ")
                  << estimate.problem << "\n";
}

/// Recordings that cannot be read have no bins.
std::vector<std::vector<benchmarks::TimeBin>> time_bins_of_grams(
    const config::RunRecord& run, const pipeline::PlannedScore& score, pipeline::InTime in_time,
    pipeline::RecordingsReader& recordings) {
    if (in_time == pipeline::InTime::still) return {{}};
    const auto& metric = metrics::find_metric(run.benchmarks[score.benchmark].metric.name);
    try {
        return pipeline::gram_bins(recordings.prepared(score.benchmark), metric.time, in_time);
    } catch (const core::InputError&) {
        return {{}};
    }
}

/// What a run would do about ceilings.
struct CeilingsToDo {
    std::vector<pipeline::PlannedCeiling> compute;
    std::size_t left_out = 0;  ///< which have ended jobs
};

pipeline::UnitHistories histories_in(const std::string& out, double memory_bound) {
    if (out.empty()) return {};
    return pipeline::unit_histories(io::read_journal(out + "/journal").lines,
                                    pipeline::read_traces(out + "/journal"), {}, memory_bound);
}

/// A run that has nothing to score asks for none.
CeilingsToDo ceilings_to_do(const pipeline::RunPlan& plan, const pipeline::Finished& finished,
                            const pipeline::UnitHistories& histories, const std::string& out) {
    const auto units = pipeline::open_units(plan, finished, histories);
    if (units.together.empty() && units.alone.empty()) return {};
    CeilingsToDo ceilings{pipeline::missing_ceilings(plan.ceilings, out, histories)};
    ceilings.left_out =
        pipeline::missing_ceilings(plan.ceilings, out).size() - ceilings.compute.size();
    return ceilings;
}

/// A finished unit is not asked for.
void note_left_out(std::vector<pipeline::UnitEstimate>& estimates, const config::RunRecord& run,
                   const pipeline::RunPlan& plan, const pipeline::UnitHistories& histories) {
    for (std::size_t u = 0; u < estimates.size(); ++u)
        if (estimates[u].finished < estimates[u].scores)
            estimates[u].left_out =
                pipeline::reason_left_out(run, plan.units[u], histories).value_or("");
}

/// "3 ceilings (2 to compute, 1 left out until --retry-failed, memory 1 GB)".
std::string ceilings_text(std::size_t planned, const CeilingsToDo& to_do, double memory_bytes) {
    auto text = core::counted(planned, "ceiling");
    if (planned == 0) return text;
    text += " (" + std::to_string(to_do.compute.size()) + " to compute";
    if (to_do.left_out > 0)
        text += ", " + std::to_string(to_do.left_out) + " left out until --retry-failed";
    if (memory_bytes > 0) text += ", memory " + core::bytes_text(memory_bytes);
    return text + ")";
}

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
    return {arguments.out, start.empty() ? 0 : metrics::naming("--simulate-start", seconds),
            known.machine.calibration};
}

/// Whether a unit that can run has scores for which there are features enough.
bool some_can_run(const pipeline::RunPlan& plan,
                  const std::vector<pipeline::UnitEstimate>& estimates,
                  const std::vector<pipeline::FewFeatures>& few) {
    for (std::size_t u = 0; u < estimates.size(); ++u) {
        const auto lacking =
            std::count_if(few.begin(), few.end(), [&](const auto& each) { return each.unit == u; });
        if (estimates[u].can_run && plan.units[u].scores.size() > static_cast<std::size_t>(lacking))
            return true;
    }
    return false;
}

int plan(const PlanArguments& arguments) {
    if (!arguments.simulation.grid.empty())
        return simulate_grid(arguments.simulation, arguments.json);
    if (arguments.run_file.config.empty())
        throw core::InputError("CONFIG is required (only --simulate-grid goes without)");
    const auto memory = node_memory(arguments.memory);
    const auto run = read_run_file(arguments.run_file);
    auto known = arguments.out.empty() ? pipeline::HashCache()
                                       : pipeline::HashCache(pipeline::hashes_path(arguments.out),
                                                             pipeline::HashCache::Trust::yes);
    const auto facts = pipeline::gather_facts(run, crashing_networks, std::move(known));
    const auto made = pipeline::make_plan(run, facts, pipeline::parse_shard(arguments.shard));
    if (!arguments.simulation.nodes.empty())
        return simulate_plan(arguments.simulation, run, made, facts, arguments.json);
    models::configure_torch();
    if (!arguments.simulation.ranks.empty())
        return simulate_ranks(arguments.simulation.ranks, measured_run(arguments), run, facts, made,
                              arguments.json);
    const auto fingerprint = stats::numerics_fingerprint() + "; " + models::torch_fingerprint();
    pipeline::Finished finished;
    pipeline::ResumeChoices choices;
    choices.memory_bound =
        memory.bytes / static_cast<double>(memory.is_limited ? arguments.ranks : 1);
    if (!arguments.out.empty())
        finished = pipeline::read_finished(arguments.out, fingerprint, choices);
    const pipeline::NodeSize node{memory.bytes, arguments.ranks,
                                  worker_threads(arguments.threads, arguments.ranks), peak_memory,
                                  forget_peak_memory};
    const auto machine = arguments.calibrate ? measured_machine(arguments.out, node)
                                             : known_machine(arguments.out, node);
    const auto histories = histories_in(arguments.out, choices.memory_bound);
    const auto to_do = ceilings_to_do(made, finished, histories, arguments.out);
    const auto ceilings = pipeline::estimate_ceilings(run, to_do.compute, node);
    pipeline::Checkpoints checkpoints;
    if (!arguments.out.empty()) checkpoints = pipeline::Checkpoints(arguments.out, fingerprint);
    auto estimates = pipeline::estimate_units(
        run, made, finished, node, [&](const auto& unit, const auto& estimate, auto& recordings) {
            const pipeline::WorkInputs inputs{run, facts, finished, checkpoints, recordings};
            return !pipeline::unit_work(unit, estimate, inputs).passes.empty();
        });
    note_left_out(estimates, run, made, histories);
    pipeline::RecordingsReader recordings(run);
    const auto cost =
        plan_cost(made, estimates, {run, facts, finished, checkpoints, recordings}, machine);
    bool all_can_run = made.impossible.empty() && ceilings.problem.empty();
    if (!ceilings.problem.empty()) core::log_error(ceilings.problem);
    auto units = nlohmann::ordered_json::array();
    for (std::size_t u = 0; u < estimates.size(); ++u) {
        all_can_run = all_can_run && estimates[u].problem.empty() && estimates[u].left_out.empty();
        if (arguments.json)
            add_cost(units.emplace_back(json_of(estimates[u])), cost, u);
        else
            print(estimates[u], unit_text(cost, u), node.ranks);
    }
    if (arguments.record) record_estimates(arguments.out, made, estimates, cost);
    std::vector<pipeline::ScoreExplanation> explanations;
    if (arguments.explain) {
        std::vector<core::ScoreRecord> records;
        if (!arguments.out.empty()) records = leaderboard::read_records(arguments.out).records;
        explanations = pipeline::explain(
            run, facts, made,
            {finished, records, checkpoints, histories, [&](std::size_t unit, const auto& score) {
                 recordings.make_room(pipeline::benchmarks_of(made.units[unit]));
                 return time_bins_of_grams(run, score, estimates[unit].in_time, recordings);
             }});
    }
    auto warnings = nlohmann::ordered_json::array();
    const auto few = pipeline::few_features(run, made, estimates);
    for (const auto& each : few) {
        core::log_error(each.text);
        warnings.push_back(each.text);
    }
    if (const auto full = arguments.out.empty() ? std::nullopt : full_disk(cost, arguments.out)) {
        core::log_warning(*full);
        warnings.push_back(*full);
    }
    auto impossible = nlohmann::ordered_json::array();
    pipeline::FailureLog not_computed(core::log_error, "cannot be computed");
    for (const auto& record : made.impossible) {
        not_computed.add(record);
        impossible.push_back({{"model", record.model},
                              {"benchmark", record.benchmark},
                              {"problem", record.failure->reason}});
    }
    if (arguments.json) {
        nlohmann::ordered_json json = {{"units", units},
                                       {"impossible", impossible},
                                       {"warnings", warnings},
                                       {"ceilings", made.ceilings.size()},
                                       {"ceilings_to_compute", to_do.compute.size()},
                                       {"ceilings_left_out", to_do.left_out},
                                       {"ceilings_bytes", ceilings.memory_bytes},
                                       {"node_memory_bytes", memory.bytes},
                                       {"node_memory_source", memory.source}};
        add_total(json, cost);
        if (arguments.explain) add_explanations(json, explanations);
        std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    } else {
        print_explanations(explanations);
        std::cout << core::counted(made.units.size(), "unit") << ", "
                  << ceilings_text(made.ceilings.size(), to_do, ceilings.memory_bytes)
                  << "; node memory " << core::bytes_text(memory.bytes) << " (" << memory.source
                  << ")\n"
                  << total_text(cost) << "\n";
    }
    if (all_can_run && few.empty()) return exit_done;
    return some_can_run(made, estimates, few) ? exit_some_failed : exit_failed;
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
        "folder of an earlier run, to tell what is finished; if it is there, the hashes of all "
        "inputs are kept in it, so that no job reads what it does not use");
    sub->add_option("--shard", arguments->shard, "i/n: only this part of the work");
    add_threads_option(*sub, arguments->threads);
    sub->add_option("--ranks", arguments->ranks, "ranks on a node (default 1)")
        ->check(CLI::Range(1, 4096));
    sub->add_option("--memory", arguments->memory,
                    "memory of a node, for example 8GiB (default: what cgroup, Slurm or the "
                    "machine gives)");
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
