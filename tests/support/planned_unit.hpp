#pragma once
/// @file
/// A unit of a run's first model without scores, and everything its features are made with.

#include <map>
#include <string>
#include <utility>

#include "pipeline/fit/unit_inputs.hpp"

namespace ventral::test {

struct PlannedUnit {
    PlannedUnit(config::RunRecord record, const std::string& dataset)
        : run(std::move(record)), recordings(run) {
        planned.dataset = dataset;
        planned.key = "unit";
    }

    config::RunRecord run;
    pipeline::RecordingsReader recordings;
    std::map<std::string, pipeline::CeilingOutcome> ceilings;
    pipeline::InputFacts facts;
    pipeline::Finished finished;
    pipeline::PlannedUnit planned;
    pipeline::NetworkTrials trials{run, {}};
    pipeline::UnitInputs inputs{run, recordings, ceilings, facts, finished, trials};
};

}  // namespace ventral::test
