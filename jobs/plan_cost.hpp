#pragma once
/// @file
/// What `ventral plan` says of arithmetic and time.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "pipeline/outlook/unit_seconds.hpp"
#include "pipeline/schedule/kept_files.hpp"

namespace ventral::jobs {

/// How fast the machine is, and where that stands; the path is empty for guesses.
struct KnownMachine {
    pipeline::Machine machine;
    std::string path;
};

/// From OUT/calibration.json or the user's cache, else guesses.
KnownMachine known_machine(const std::string& out, const pipeline::NodeSize& node);

/// Measures with all ranks' workers, stores, and says where.
KnownMachine measured_machine(const std::string& out, const pipeline::NodeSize& node);

struct PlanCost {
    KnownMachine known;
    std::vector<pipeline::UnitWork> work;  ///< of each unit; nothing of one that no run takes
    std::vector<pipeline::UnitSeconds> seconds;
};

/// `grams`: whether the run keeps them, for the units that come later.
PlanCost plan_cost(const pipeline::RunPlan& plan,
                   const std::vector<pipeline::UnitEstimate>& estimates,
                   const pipeline::WorkInputs& inputs, pipeline::Keep grams, KnownMachine known);

/// Appends to the journal of `out` what each unit that a run will take up is going to need.
void record_estimates(const std::string& out, const pipeline::RunPlan& plan,
                      const std::vector<pipeline::UnitEstimate>& estimates, const PlanCost& cost);

/// "1.2 Tflop (network 1 Tflop, …), 12 s (extract 10 s, …), reads …, writes …".
std::string unit_text(const PlanCost& cost, std::size_t unit);
std::string total_text(const PlanCost& cost);

void add_cost(nlohmann::ordered_json& json, const PlanCost& cost, std::size_t unit);
void add_total(nlohmann::ordered_json& json, const PlanCost& cost);

}  // namespace ventral::jobs
