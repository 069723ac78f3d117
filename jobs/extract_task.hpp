#pragma once
/// @file
/// The output of a task beside the activations that it is read out of: `ventral extract --task`.

#include <string>

#include <CLI/CLI.hpp>

#include "core/stimulus_set.hpp"
#include "models/model_record.hpp"

namespace ventral::jobs {

struct ExtractTask {
    std::string name;  ///< empty: none
    std::string params = "{}";
    std::string fitting_stimuli;

    bool is_wanted() const { return !name.empty(); }
};

void add_task_options(CLI::App& app, ExtractTask& task);

/// Throws `core::InputError` if the model or what is said of the task is not enough for it, as far
/// as that can be known before the network runs.
void check_task(const ExtractTask& task, const models::ModelRecord& model);

/// Throws `core::InputError` with their file if fitting stimuli have no labels.
void check_fitting_stimuli(const std::string& path, const core::StimulusSet& stimuli);

/// The file beside the activations `out`: its name without its ending, the task's and ".nc".
std::string task_path(const std::string& out, const std::string& task);

/// Reads `layer` of the activations `out`, and of `fitting` if the task is fitted, and writes
/// `task_path`. Throws `core::InputError`.
void write_task_output(const ExtractTask& task, const std::string& layer, const std::string& out,
                       const std::string& fitting);

}  // namespace ventral::jobs
