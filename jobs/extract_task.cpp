#include "extract_task.hpp"

#include <algorithm>
#include <filesystem>

#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "models/readouts/imagenet_classes.hpp"
#include "models/readouts/readout_features.hpp"
#include "models/readouts/readout_stimuli.hpp"
#include "params_option.hpp"
#include "pipeline/fit/features_in_memory.hpp"
#include "task_output.hpp"

namespace ventral::jobs {
namespace {

constexpr auto params_option = "--task-params";

void check_combination(const TaskArguments& arguments) {
    const bool has_more = !arguments.fitting_stimuli.empty() || !arguments.layer.empty() ||
                          arguments.params != TaskArguments{}.params;
    if (arguments.name.empty() && has_more)
        throw core::InputError(
            "--task-params, --readout-layer and --fitting-stimuli are for a --task (label, "
            "probabilities or odd_one_out) that is not given");
}

void check_needs(const ExtractTask& task) {
    if (task.name == "odd_one_out" && task.params.triplets.empty())
        throw core::InputError(
            task.params_place +
            ": has no triplets, which odd_one_out needs (give --task-params @FILE, a file with "
            "{\"triplets\": [[\"a\", \"b\", \"c\"], ...]})");
    const bool has_classifier = task.name == "probabilities";
    if (has_classifier && !task.is_fitted())
        throw core::InputError(
            "--task probabilities needs --fitting-stimuli, a table (CSV) of images with a column "
            "image_label");
    if (!has_classifier && task.is_fitted())
        throw core::InputError("--fitting-stimuli is for probabilities, --task " + task.name +
                               " is not fitted");
}

std::string answers_path(const std::string& activations, const std::string& task) {
    return std::filesystem::path(activations).replace_extension().string() + "." + task + ".nc";
}

void check_model(const models::ModelRecord& model) {
    if (has_stored_features(model))
        throw core::InputError(model.origin +
                               ": has stored features (there is nothing to extract) `ventral "
                               "readout` reads tasks out of them");
    if (model.time)
        throw core::InputError(model.origin +
                               ": answers in time ([time]), which --task does not support");
}

}  // namespace

void add_task_options(CLI::App& app, TaskArguments& arguments) {
    app.add_option("--task", arguments.name,
                   "also write the model's answers in a task, as `ventral readout` reads them out "
                   "of its readout_layer, beside the activations (OUT without its ending, "
                   ".TASK.nc): label, probabilities (a classifier fitted on --fitting-stimuli) or "
                   "odd_one_out (of triplets in --task-params)");
    app.add_option(params_option, arguments.params,
                   "JSON, or @FILE: the parameters of the task, as --params of `ventral readout`");
    app.add_option("--readout-layer", arguments.layer,
                   "layer that the task is read out of, logits is the network's output (default: "
                   "the model's readout_layer)");
    app.add_option("--fitting-stimuli", arguments.fitting_stimuli,
                   "stimulus table (CSV) with a column image_label, beside its images; each is "
                   "shown once, and its activations are not kept");
}

ExtractTask task_of(const TaskArguments& arguments, const models::ModelRecord& model,
                    const std::string& out) {
    check_combination(arguments);
    ExtractTask task;
    if (arguments.name.empty()) return task;
    task.name = arguments.name;
    task.params_place = params_place(arguments.params, params_option);
    task.params = config::readout_params(task.name, read_params(arguments.params, params_option),
                                         task.params_place);
    task.fitting_table = arguments.fitting_stimuli;
    check_needs(task);
    check_model(model);
    task.layer = arguments.layer.empty() ? model.readout_layer : arguments.layer;
    if (task.layer.empty())
        throw core::InputError(model.origin +
                               ": the model has no 'readout_layer' for --task (add one, or give "
                               "--readout-layer)");
    task.out = answers_path(out, task.name);
    return task;
}

void check_stimuli(const ExtractTask& task, const core::StimulusSet& shown,
                   const std::string& shown_table) {
    models::check_columns(shown, shown_table);
    models::check_triplets(task.params.triplets, shown, task.params_place);
    if (task.is_fitted()) models::check_fitting_stimuli(task.fitting, task.fitting_table);
}

void check_shape(const ExtractTask& task, const models::ModelRecord& model,
                 const std::vector<io::LayerShape>& layers) {
    if (task.name != "label") return;
    const auto read = std::find_if(layers.begin(), layers.end(), [&](const io::LayerShape& layer) {
        return layer.name == task.layer;
    });
    const auto features = io::feature_count(*read);
    if (features == models::imagenet_classes) return;
    throw core::InputError(model.origin + ": layer '" + task.layer + "' has " +
                           std::to_string(features) +
                           " features (--task label needs the logits of the 1,000 classes of "
                           "ImageNet) name a layer that has them with --readout-layer");
}

core::Assembly fitting_features(const ExtractTask& task, const models::ModelRecord& model,
                                pipeline::TeamContext& context) {
    core::Assembly features;
    if (!task.is_fitted()) return features;
    context.progress.begin(model.identifier + " on " + task.fitting.identifier);
    features = pipeline::features_in_memory({model, task.fitting, task.layer, task.out}, context);
    features.name = task.fitting_table;
    comm::run_collectively(context.team, [&] {
        if (context.leads()) models::readout_features(features);
    });
    return features;
}

void warn_of_other_answers(const ExtractTask& task, const std::string& activations) {
    for (const auto& name : config::readout_names()) {
        const auto path = answers_path(activations, name);
        std::error_code ignored;
        if (name == task.name || !std::filesystem::exists(path, ignored)) continue;
        core::log_warning(path + ": is from before, perhaps read out of other activations than " +
                          activations + " (`ventral readout " + name + "` reads these)");
    }
}

void write_task_output(const ExtractTask& task, const std::string& shown,
                       const core::Assembly& fitting) {
    try {
        auto features = io::read_assembly(shown, {{}, task.layer});
        features.name = shown;
        const auto output = task_output(task.name, task.params, features, [&] { return fitting; });
        io::write_assembly(task.out, output.assembly);
        core::log_info(task.out + ": " + task.name + " of layer '" + task.layer + "'");
    } catch (const std::exception&) {
        // One that is there may be replaced, and was read out of other activations.
        std::error_code ignored;
        if (std::filesystem::is_regular_file(task.out, ignored))
            std::filesystem::remove(task.out, ignored);
        core::log_info(shown + ": is whole, what follows is about " + task.out +
                       " (`ventral readout` can try again)");
        throw;
    }
}

}  // namespace ventral::jobs
