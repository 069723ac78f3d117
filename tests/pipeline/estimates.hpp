#pragma once
/// @file
/// Estimates of the units of a run, and their stages.

#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/outlook/estimate.hpp"

namespace ventral::test {

inline const pipeline::NodeSize large_node{1e9, 1, 1};

inline std::vector<pipeline::UnitEstimate> estimates(const config::RunRecord& run,
                                                     const pipeline::NodeSize& node,
                                                     const pipeline::Finished& finished = {}) {
    const auto plan = pipeline::make_plan(run, pipeline::gather_facts(run), {});
    return pipeline::estimate_units(run, plan, finished, node);
}

inline const pipeline::MemoryStage& stage(const pipeline::UnitEstimate& unit,
                                          const std::string& name) {
    for (const auto& each : unit.stages)
        if (each.name == name) return each;
    throw std::out_of_range(name);
}

/// Doubles that a Gram of one tile is built in: six panels in strips of 24 rows, with the means of
/// their features, four statistics of each row, and that of so few rows none is sparse (two
/// numbers); the second sum of the kernel, two numbers, least and largest of each row, and μᵀμ;
/// counters of tasks (four), panels (six) and tiles (twice two).
inline int gram_scratch(int rows, int features) {
    const int strips = (rows + 23) / 24 * 24;
    return 6 * (strips * features + features + 4 * rows + 2) + (rows * rows + 4 * rows + 1) +
           (4 + 6 + 2 * 2);
}

}  // namespace ventral::test
