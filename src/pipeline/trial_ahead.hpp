#pragma once
/// @file
/// The trial of the network that a team will need next, beside its work on another unit.

#include <future>
#include <utility>

#include "models/model_record.hpp"
#include "pipeline/input_facts.hpp"

namespace ventral::pipeline {

/// A trial takes a process that starts, loads the weights and runs one stimulus, while all ranks of
/// the team would wait. Begun ahead, it takes the time of whichever core has none else to do.
class TrialAhead {
public:
    /// `trial` must remember what it has found: who asks again gets the answer at once.
    explicit TrialAhead(NetworkTrial trial) : trial_(std::move(trial)) {}
    /// Waits for the trial in work.
    ~TrialAhead() = default;
    TrialAhead(const TrialAhead&) = delete;
    TrialAhead& operator=(const TrialAhead&) = delete;

    /// Does nothing while another trial is in work.
    void begin(const models::ModelRecord& model);

private:
    NetworkTrial trial_;
    std::future<void> in_work_;
};

}  // namespace ventral::pipeline
