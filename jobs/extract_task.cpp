#include "extract_task.hpp"

#include <algorithm>
#include <filesystem>

#include "config/readout_params.hpp"
#include "core/errors.hpp"
#include "io/netcdf_assembly.hpp"
#include "print_score.hpp"
#include "task_output.hpp"

namespace ventral::jobs {
namespace {

constexpr auto fitted_task = "probabilities";
constexpr auto label_column = "image_label";

core::Assembly read_layer(const std::string& path, const std::string& layer) {
    auto features = io::read_assembly(path, {{}, layer});
    features.name = path;
    return features;
}

}  // namespace

void add_task_options(CLI::App& app, ExtractTask& task) {
    app.add_option("--task", task.name,
                   "also write what the model's readout_layer says, beside the activations (OUT "
                   "without its ending, .TASK.nc): label, probabilities (a classifier fitted on "
                   "--fitting-stimuli) or odd_one_out");
    app.add_option("--task-params", task.params, "JSON, or @FILE, as --params of readout");
    app.add_option("--fitting-stimuli", task.fitting_stimuli,
                   "stimulus table (CSV) with a column image_label, beside its images; each is "
                   "shown once");
}

void check_task(const ExtractTask& task, const models::ModelRecord& model) {
    if (!task.is_wanted()) {
        if (!task.fitting_stimuli.empty() || task.params != "{}")
            throw core::InputError(
                "ventral extract: --task-params and --fitting-stimuli are for a --task");
        return;
    }
    const auto params = config::readout_params(task.name, read_params(task.params));
    if (model.readout_layer.empty())
        throw core::InputError(model.origin +
                               ": the model has no 'readout_layer' (--task reads it)");
    if (model.time)
        throw core::InputError(model.origin +
                               ": answers in time ([time]) are not supported by --task");
    if (task.name == "odd_one_out" && params.triplets.empty())
        throw core::InputError("ventral extract: odd_one_out needs triplets in --task-params");
    if ((task.name == fitted_task) == task.fitting_stimuli.empty())
        throw core::InputError(task.fitting_stimuli.empty()
                                   ? "ventral extract: probabilities needs --fitting-stimuli"
                                   : "ventral extract: --fitting-stimuli is for probabilities");
}

void check_fitting_stimuli(const std::string& path, const core::StimulusSet& stimuli) {
    const auto is_label = [](const auto& column) { return column.name == label_column; };
    if (std::any_of(stimuli.columns.begin(), stimuli.columns.end(), is_label)) return;
    throw core::InputError(path + ": has no column '" + label_column +
                           "' (fitting stimuli are a table with the label of each)");
}

std::string task_path(const std::string& out, const std::string& task) {
    return std::filesystem::path(out).replace_extension().string() + "." + task + ".nc";
}

void write_task_output(const ExtractTask& task, const std::string& layer, const std::string& out,
                       const std::string& fitting) {
    const auto params = config::readout_params(task.name, read_params(task.params));
    const auto output = task_output(task.name, params, read_layer(out, layer),
                                    [&] { return read_layer(fitting, layer); });
    io::write_assembly(task_path(out, task.name), output.assembly);
}

}  // namespace ventral::jobs
