// What `ventral plan` tells of an outlook.
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "leaderboard/tables.hpp"
#include "pipeline/journal/failure_log.hpp"
#include "pipeline/watch/memory_bound.hpp"
#include "plan_explain.hpp"
#include "plan_outlook.hpp"

namespace ventral::jobs {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const pipeline::UnitEstimate& estimate) {
    Json json = {{"model", estimate.model},
                 {"dataset", estimate.dataset},
                 {"stimuli", estimate.stimuli},
                 {"scores", estimate.scores},
                 {"finished", estimate.finished},
                 {"failed", estimate.failed},
                 {"gram_rows", estimate.gram_rows},
                 {"program_bytes_a_rank", estimate.program_bytes_a_rank},
                 {"memory_bytes", estimate.memory_bytes},
                 {"needed_bytes", estimate.needed_bytes},
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

/// "fits to layer4: 2 GB shared, 1 GB of the first rank, 0.2 GB and the program's 0.1 GB of each
/// rank".
std::string memory_text(const pipeline::UnitEstimate& estimate, std::size_t ranks) {
    const auto& stage = estimate.largest_stage(ranks);
    auto text = stage.name + ": ";
    if (stage.shared > 0) text += core::bytes_text(stage.shared) + " shared, ";
    if (stage.first_rank > 0) text += core::bytes_text(stage.first_rank) + " of the first rank, ";
    if (stage.other_ranks > 0) text += core::bytes_text(stage.other_ranks) + " of each other, ";
    return text + core::bytes_text(stage.a_rank) + " and the program's " +
           core::bytes_text(estimate.program_bytes_a_rank) + " of each rank";
}

void print_unit(const pipeline::UnitEstimate& estimate, const std::string& cost,
                std::size_t ranks) {
    std::cout << estimate.model << " on " << estimate.dataset << ": "
              << core::counted(estimate.scores, "score") << " (" << estimate.finished
              << " finished";
    if (estimate.failed > 0) std::cout << ", " << estimate.failed << " of them failed";
    std::cout << ")";
    if (!estimate.stages.empty())
        std::cout << ", " << estimate.stimuli << " stimuli, activations "
                  << core::bytes_text(estimate.activation_bytes) << " on disk\n    memory "
                  << core::bytes_text(estimate.memory_bytes) << " (" << memory_text(estimate, ranks)
                  << "), --memory from " << core::memory_setting(estimate.needed_bytes);
    std::cout << "\n";
    for (const auto& layer : estimate.layers)
        std::cout << "    " << layer.name << ": " << core::counted(layer.features, "feature")
                  << "\n";
    if (!estimate.left_out.empty()) std::cout << "    cannot run: " << estimate.left_out << "\n";
    if (estimate.failed > 0)
        std::cout
            << "    cannot run in part: " << core::counted(estimate.failed, "score")
            << " failed in an earlier run (report says why, run --retry-failed tries again)\n";
    if (estimate.finished < estimate.scores && !estimate.stages.empty() && estimate.can_run &&
        estimate.left_out.empty())
        std::cout << "    left to do: " << cost << "\n";
    if (!estimate.problem.empty())
        std::cout << (estimate.can_run ? "    cannot run in part: " : "    cannot run: ")
                  << estimate.problem << "\n";
}

/// "9 scores (4 scored, 2 failed before, 1 cannot be computed), 2 to compute".
std::string scores_text(const ScoreCounts& scores) {
    std::string others;
    const auto add = [&](std::size_t count, const std::string& what) {
        if (count > 0) core::add_part(others, std::to_string(count) + " " + what);
    };
    add(scores.scored, "scored");
    add(scores.failed, "failed before");
    add(scores.impossible, "cannot be computed");
    return core::counted(scores.all(), "score") + (others.empty() ? "" : " (" + others + ")") +
           ", " + std::to_string(scores.to_compute) + " to compute";
}

/// "3 ceilings (2 to compute, 1 left out until --retry-failed, memory 1 GB)".
std::string ceilings_text(std::size_t planned, const pipeline::CeilingsToDo& to_do,
                          double memory_bytes) {
    auto text = core::counted(planned, "ceiling");
    if (planned == 0) return text;
    text += " (" + std::to_string(to_do.compute.size()) + " to compute";
    if (to_do.left_out > 0)
        text += ", " + std::to_string(to_do.left_out) + " left out until --retry-failed";
    if (memory_bytes > 0) text += ", memory " + core::bytes_text(memory_bytes);
    return text + ")";
}

/// "5 GiB of 80 GiB that are free, and 2 GiB of discarded activations".
std::string disk_text(const OutlookRequest& request, const Outlook& outlook) {
    auto text = core::bytes_text(outlook.disk_bytes) + " of " +
                core::bytes_text(*outlook.free_bytes) + " that are free";
    if (outlook.discarded_bytes > 0)
        text += ", and " + core::bytes_text(outlook.discarded_bytes) + " of discarded activations";
    return text + (request.kept.compression > 0 ? ", beside compressed activations" : "");
}

/// Of a node whose first rank makes the tables: no rank may take more than its share.
double table_bytes(const OutlookRequest& request, const Outlook& outlook) {
    double program = 0;
    for (const auto& unit : outlook.units) program = std::max(program, unit.program_bytes_a_rank);
    return static_cast<double>(request.ranks) *
           (program + pipeline::least_room_of_a_rank +
            leaderboard::table_bytes_a_score * static_cast<double>(outlook.scores_in_tables));
}

/// That a run must have on a node for all that it has to do; 0 if nothing is known to be needed.
double needed_bytes(const OutlookRequest& request, const Outlook& outlook) {
    double needed = outlook.ceilings_memory.memory_bytes;
    for (const auto& unit : outlook.units) {
        if (unit.finished == unit.scores || !unit.left_out.empty()) continue;
        if (unit.needed_bytes == 0) return 0;  // it could not be probed
        needed = std::max(needed, unit.needed_bytes);
    }
    if (needed == 0) return 0;
    const auto ranks = static_cast<double>(request.ranks);
    return std::max(needed, table_bytes(request, outlook)) +
           ranks * pipeline::differs_from_start_to_start;
}

/// Why the tables will not be written, if so.
std::optional<std::string> large_tables(const OutlookRequest& request, const Outlook& outlook) {
    const double needed = table_bytes(request, outlook);
    if (needed <= request.memory.bytes) return std::nullopt;
    return "the tables of " + core::counted(outlook.scores_in_tables, "score") + " need " +
           core::bytes_text(needed) + " of memory on a node with " +
           core::bytes_text(request.memory.bytes) +
           ": a run will not write them (its scores are in the journal) give it more, or make them "
           "with `ventral report` where there is";
}

Json warnings_of(const OutlookRequest& request, const Outlook& outlook) {
    auto warnings = Json::array();
    for (const auto& each : outlook.ceilings_memory.failing) warnings.push_back(each.text);
    for (const auto& each : outlook.few) warnings.push_back(each.text);
    if (!outlook.full_disk.empty()) warnings.push_back(outlook.full_disk);
    if (const auto large = large_tables(request, outlook)) warnings.push_back(*large);
    return warnings;
}

Json impossible_of(const pipeline::RunPlan& plan) {
    auto impossible = Json::array();
    for (const auto& record : plan.impossible)
        impossible.push_back({{"model", record.model},
                              {"benchmark", record.benchmark},
                              {"problem", record.failure->reason}});
    return impossible;
}

}  // namespace

void log_impossible(const pipeline::RunPlan& plan) {
    pipeline::FailureLog not_computed(core::log_error, "cannot be computed");
    for (const auto& record : plan.impossible) not_computed.add(record);
}

void log_problems(const OutlookRequest& request, const Outlook& outlook) {
    if (!outlook.ceilings_memory.problem.empty()) core::log_error(outlook.ceilings_memory.problem);
    for (const auto& each : outlook.ceilings_memory.failing) core::log_error(each.text);
    for (const auto& each : outlook.few) core::log_error(each.text);
    if (!outlook.full_disk.empty()) core::log_error(outlook.full_disk);
    if (const auto large = large_tables(request, outlook)) core::log_warning(*large);
}

void print(const OutlookRequest& request, const Outlook& outlook) {
    for (std::size_t u = 0; u < outlook.units.size(); ++u)
        print_unit(outlook.units[u], unit_text(outlook.cost, u), request.ranks);
    print_explanations(outlook.explained);
    std::cout << scores_text(outlook.scores) << "; "
              << core::counted(request.plan.units.size(), "unit") << ", "
              << ceilings_text(request.plan.ceilings.size(), outlook.ceilings,
                               outlook.ceilings_memory.memory_bytes)
              << "; node memory " << core::bytes_text(request.memory.bytes) << " ("
              << request.memory.source << ")";
    if (const double needed = needed_bytes(request, outlook); needed > 0)
        std::cout << ", of which it needs " << core::memory_setting(needed);
    if (outlook.free_bytes) std::cout << "; disk " << disk_text(request, outlook);
    std::cout << "\n" << total_text(outlook.cost) << "\n";
}

void print_json(const OutlookRequest& request, const Outlook& outlook) {
    auto units = Json::array();
    for (std::size_t u = 0; u < outlook.units.size(); ++u)
        add_cost(units.emplace_back(json_of(outlook.units[u])), outlook.cost, u);
    Json json = {{"units", units},
                 {"impossible", impossible_of(request.plan)},
                 {"warnings", warnings_of(request, outlook)},
                 {"scored", outlook.scores.scored},
                 {"failed_before", outlook.scores.failed},
                 {"cannot_be_computed", outlook.scores.impossible},
                 {"to_compute", outlook.scores.to_compute},
                 {"ceilings", request.plan.ceilings.size()},
                 {"ceilings_to_compute", outlook.ceilings.compute.size()},
                 {"ceilings_left_out", outlook.ceilings.left_out},
                 {"ceilings_bytes", outlook.ceilings_memory.memory_bytes},
                 {"needed_bytes", needed_bytes(request, outlook)},
                 {"node_memory_bytes", request.memory.bytes},
                 {"node_memory_source", request.memory.source}};
    if (outlook.free_bytes)
        json.update({{"disk_bytes", outlook.disk_bytes},
                     {"free_disk_bytes", *outlook.free_bytes},
                     {"discarded_disk_bytes", outlook.discarded_bytes}});
    add_total(json, outlook.cost);
    if (request.explain) add_explanations(json, outlook.explained);
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace ventral::jobs
