#pragma once
/// @file
/// The small run with its plan, and what earlier runs have left of it.

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "pipeline/run.hpp"
#include "support/small_data.hpp"

namespace ventral::test {

struct PlannedRun : SmallData {
    PlannedRun() { plan_again(); }

    std::string out() const { return folder.file("out"); }

    /// After the run or its files were changed.
    void plan_again() {
        facts = pipeline::gather_facts(run);
        plan = pipeline::make_plan(run, facts, {});
    }

    void score() {
        core::Workers workers(1);
        const auto world = comm::make_serial();
        pipeline::RunOptions options;
        options.out = out();
        options.provenance = {{"host", "node7"}, {"version", "0.1"}};
        fingerprint = pipeline::agreed_fingerprint(*world);
        pipeline::run(run, options, *world, workers);
    }

    pipeline::Finished finished() const { return pipeline::read_finished(out(), fingerprint, {}); }
    pipeline::Checkpoints checkpoints() const { return {out(), fingerprint}; }

    pipeline::InputFacts facts;
    pipeline::RunPlan plan;
    std::string fingerprint;
};

}  // namespace ventral::test
