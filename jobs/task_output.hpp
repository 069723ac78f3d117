#pragma once
/// @file
/// The tasks that a model's features can answer, by their names: what `ventral readout` and
/// `ventral extract --task` share.

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "config/readout_params.hpp"
#include "core/assembly.hpp"

namespace ventral::jobs {

/// An assembly to keep, and all there is to say as JSON.
struct TaskOutput {
    core::Assembly assembly;
    nlohmann::ordered_json json;
};

/// What `task`, one of `config::readout_names`, makes of `features`. `fitting` gives the features
/// that probabilities are fitted on and is called for them alone. The names of both are for
/// messages. Throws `core::InputError`.
TaskOutput task_output(const std::string& task, const config::ReadoutParams& params,
                       const core::Assembly& features,
                       const std::function<core::Assembly()>& fitting);

}  // namespace ventral::jobs
