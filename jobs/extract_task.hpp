#pragma once
/// @file
/// The output of a task beside the activations that it is read out of: `ventral extract --task`.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/readout_params.hpp"
#include "core/assembly.hpp"
#include "core/stimulus_set.hpp"
#include "io/activations/activations_shape.hpp"
#include "models/model_record.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::jobs {

/// What the command line says of it.
struct TaskArguments {
    std::string name;  ///< empty: none
    std::string params = "{}";
    std::string layer;  ///< empty: the model's
    std::string fitting_stimuli;
};

void add_task_options(CLI::App& app, TaskArguments& arguments);

/// A task that can be done, as far as that is known before the network runs.
struct ExtractTask {
    std::string name;  ///< empty: none
    config::ReadoutParams params;
    std::string params_place;  ///< for messages
    std::string layer;         ///< that it is read out of
    std::string out;           ///< the file to write
    std::string fitting_table;
    core::StimulusSet fitting;

    bool is_wanted() const { return !name.empty(); }
    bool is_fitted() const { return !fitting_table.empty(); }
};

/// The task beside the activations `out`: in the file of their name without its ending, the task's
/// and ".nc". Its fitting stimuli are to be read from their table. Throws `core::InputError` if
/// `arguments` or the model are not enough for it.
ExtractTask task_of(const TaskArguments& arguments, const models::ModelRecord& model,
                    const std::string& out);

/// Throws `core::InputError` naming the file if `shown`, which stand in `shown_table`, or the
/// fitting stimuli are not what the task needs.
void check_stimuli(const ExtractTask& task, const core::StimulusSet& shown,
                   const std::string& shown_table);

/// Throws `core::InputError` naming the model if its layer is not what the task needs.
void check_shape(const ExtractTask& task, const models::ModelRecord& model,
                 const std::vector<io::LayerShape>& layers);

/// What the classifier of a fitted task is fitted on, on the first rank, else nothing. Throws as
/// `pipeline::extract` and if it is not all finite. Collective.
core::Assembly fitting_features(const ExtractTask& task, const models::ModelRecord& model,
                                pipeline::TeamContext& context);

/// Warns of answers in other tasks that stand beside activations that are new.
void warn_of_other_answers(const ExtractTask& task, const std::string& activations);

/// Reads the task's layer of the activations `shown` and writes the task's file. Throws
/// `core::InputError` and others, then there is none, and says in the log that the activations are
/// there nevertheless.
void write_task_output(const ExtractTask& task, const std::string& shown,
                       const core::Assembly& fitting);

}  // namespace ventral::jobs
