#include "pipeline/extraction/extract.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "comm/from_first_rank.hpp"
#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "compression.hpp"
#include "core/add_once.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/folder_of.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "exit_codes.hpp"
#include "extract_stimuli.hpp"
#include "extract_task.hpp"
#include "io/disk/leftovers.hpp"
#include "io/input_file.hpp"
#include "model_argument.hpp"
#include "network_trial.hpp"
#include "output_file.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/hash_cache.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/record_archives.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/run.hpp"
#include "pipeline/watch/stop.hpp"
#include "process.hpp"
#include "record_warnings.hpp"
#include "run_file.hpp"
#include "stimuli/microsaccades.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

namespace fs = std::filesystem;

struct ExtractArguments {
    std::string model;
    RunFileArguments places;  ///< of it --configs and --data
    StimulusArguments stimuli;
    std::size_t number_of_trials = 1;
    std::vector<std::string> layers;
    std::string out;
    std::optional<std::size_t> threads;
    int compression = 0;
    bool force = false;
    bool timing = false;
    TaskArguments task;
};

/// What the arguments name, on every rank; the key on the first.
struct ExtractInputs {
    models::ModelRecord model;
    ExtractTask task;
    std::vector<std::string> layers;
    core::StimulusSet stimuli;
    std::string key;
    std::string state;  ///< of the files that the network and its images come from; on rank 0
};

/// Of --number-of-trials; empty if it is one.
std::string trials_problem(const std::string& number) {
    const auto trials = core::parse_integer(number);
    if (trials && *trials > 0 && *trials <= stimuli::most_trials) return {};
    return "'" + number + "' is no number of trials (give 1 to " +
           std::to_string(stimuli::most_trials) + ")";
}

std::vector<std::string> layers_of(const ExtractArguments& arguments,
                                   const models::ModelRecord& model, const ExtractTask& task) {
    auto layers = arguments.layers.empty() ? model.candidate_layers : arguments.layers;
    if (task.is_wanted()) core::add_once(layers, task.layer);
    if (layers.empty())
        throw core::InputError(model.origin + ": the model has no 'layers' (give --layers)");
    for (auto layer = layers.begin(); layer != layers.end(); ++layer)
        if (std::find(layers.begin(), layer, *layer) != layer)
            throw core::InputError((arguments.layers.empty() ? model.origin : "--layers") +
                                   ": layer '" + *layer + "' is named twice");
    return layers;
}

/// The files that an extraction reads.
std::vector<std::string> files_read(const ExtractArguments& arguments,
                                    const ExtractInputs& inputs) {
    std::vector<std::string> files = {inputs.model.origin, inputs.model.weights_file,
                                      arguments.stimuli.images, inputs.task.fitting_table};
    const auto& params = arguments.task.params;
    if (params.starts_with('@')) files.push_back(params.substr(1));
    for (const auto* stimuli : {&inputs.stimuli, &inputs.task.fitting})
        files.insert(files.end(), stimuli->files.begin(), stimuli->files.end());
    return files;
}

/// The files whose content decides what the network gives.
std::vector<std::string> files_of_pass(const ExtractInputs& inputs) {
    auto files = inputs.stimuli.files;
    if (!inputs.model.builtin) files.push_back(inputs.model.weights_file);
    return files;
}

/// What extractions to this file that were killed have left beside it.
void remove_leftovers_of(const std::string& out) {
    const auto name = fs::path(out).filename().string() + ".";
    const auto removed =
        io::remove_leftovers(core::folder_of(out).string(), fs::file_time_type::clock::now(), name);
    if (removed > 0)
        core::log_info(out + ": removed " + core::counted(removed, "temporary file") +
                       " of extractions that were killed");
}

void tell_of_pca(const models::ModelRecord& model) {
    if (model.pca)
        core::log_info(model.origin +
                       ": its [pca] is not applied, layers are written as the network gives them");
}

/// As in a run: a model that always answers the same is asked once.
std::size_t trials_of(const ExtractArguments& arguments, const models::ModelRecord& model) {
    benchmarks::BenchmarkRecord benchmark;
    benchmark.number_of_trials = arguments.number_of_trials;
    return pipeline::trials_of(model, benchmark);
}

void tell_of_trials(const ExtractArguments& arguments, const models::ModelRecord& model) {
    if (trials_of(arguments, model) < arguments.number_of_trials)
        core::log_info(model.origin + ": answers the same in every trial, there is one " +
                       "(require_variance = true makes the trials differ)");
}

/// What decides the network's values; also compares the checksum of its weights.
std::string checked_model_key(const models::ModelRecord& model, const std::string& data_folder) {
    if (has_stored_features(model))
        throw core::InputError(model.origin +
                               ": has stored features (there is nothing to extract)");
    config::RunRecord run;
    run.models = {model};
    run.data_folder = data_folder;
    const auto facts = pipeline::gather_facts(run, crashing_networks).of(model);
    if (facts.failure) throw core::InputError(facts.failure->reason);
    return facts.content_key;
}

/// Of the activations.
std::string key_of(const ExtractArguments& arguments, const ExtractInputs& inputs) {
    const auto places = places_of(arguments.places);
    return pipeline::activations_key(
        checked_model_key(inputs.model, places.data_folder.value_or("")),
        pipeline::stimuli_key(inputs.stimuli), trials_of(arguments, inputs.model));
}

void print_timing(const pipeline::ExtractTiming& timing, comm::Communicator& world) {
    const auto peaks = comm::gather_records(world, peak_memory());
    const double peak = std::accumulate(peaks.begin(), peaks.end(), 0.0);
    if (world.rank() == 0)
        std::fprintf(stderr,
                     "timing: load %.3f s, extract %.3f s, images %.3f s, network %.3f s, write "
                     "%.3f s\npeak memory of the ranks, added up: %.0f bytes\n",
                     timing.load, timing.extract, timing.images, timing.network, timing.write,
                     peak);
}

/// On the first rank, which tells them the others. Collective.
void read_all_stimuli(const ExtractArguments& arguments, ExtractInputs& inputs,
                      comm::Communicator& world) {
    const double degrees = arguments.stimuli.degrees.value_or(inputs.model.visual_degrees);
    auto& task = inputs.task;
    const auto read = [&](const std::string& images) {
        return read_stimuli(arguments.stimuli, images, degrees, task.is_fitted());
    };
    inputs.stimuli = comm::from_first_rank<core::StimulusSet>(world, [&] {
        auto stimuli = read(arguments.stimuli.images);
        if (arguments.stimuli.count) keep_first(stimuli, *arguments.stimuli.count);
        return stimuli;
    });
    if (task.is_fitted())
        task.fitting = comm::from_first_rank<core::StimulusSet>(
            world, [&] { return read(task.fitting_table); });
}

/// Collective.
ExtractInputs read_inputs(const ExtractArguments& arguments, comm::Communicator& world) {
    ExtractInputs inputs;
    auto& model = inputs.model;
    model = comm::from_first_rank<models::ModelRecord>(world, [&] {
        return model_named(arguments.model, arguments.places.configs_folder,
                           places_of(arguments.places));
    });
    comm::run_collectively(world, [&] {
        inputs.task = task_of(arguments.task, model, arguments.out);
        if (!has_stored_features(model)) inputs.layers = layers_of(arguments, model, inputs.task);
    });
    read_all_stimuli(arguments, inputs, world);
    comm::run_collectively(world, [&] {
        if (world.rank() != 0) return;
        if (inputs.task.is_wanted())
            check_stimuli(inputs.task, inputs.stimuli, arguments.stimuli.images);
        const auto files = files_read(arguments, inputs);
        for (const auto& out : {arguments.out, inputs.task.out}) {
            if (out.empty()) continue;
            check_output(out, existing(arguments.force), files);
            remove_leftovers_of(out);
        }
        inputs.state = pipeline::state_of(files_of_pass(inputs));
        inputs.key = key_of(arguments, inputs);
        warn_of_degrees(arguments.stimuli, arguments.stimuli.images, inputs.stimuli);
        if (inputs.task.is_fitted())
            warn_of_degrees(arguments.stimuli, inputs.task.fitting_table, inputs.task.fitting);
        for (const auto& warning : preprocessing_warnings(model)) core::log_warning(warning);
        tell_of_pca(model);
        tell_of_trials(arguments, model);
    });
    inputs.key = world.broadcast(inputs.key, 0);
    return inputs;
}

pipeline::Extracted extract_images(const ExtractArguments& arguments, const ExtractInputs& inputs,
                                   pipeline::TeamContext& context) {
    const auto& model = inputs.model;
    context.progress.begin(model.identifier + " on " + inputs.stimuli.identifier);
    pipeline::ExtractRequest request{model, inputs.stimuli, inputs.layers, inputs.key,
                                     arguments.out};
    request.trials = trials_of(arguments, model);
    request.check_shapes = [&](const std::vector<io::LayerShape>& layers) {
        check_shape(inputs.task, model, layers);
    };
    request.check_inputs = [&] {
        if (pipeline::state_of(files_of_pass(inputs)) != inputs.state &&
            key_of(arguments, inputs) != inputs.key)
            throw core::TransientError(arguments.stimuli.images +
                                       ": an image, or the weights, were changed while they were "
                                       "read, run again when nothing writes to them");
    };
    return pipeline::extract(request, context);
}

/// With them no layer can be scored.
void warn_of_odd_values(const pipeline::Extracted& extracted, const ExtractInputs& inputs,
                        std::size_t trials) {
    for (const auto& [layer, row] : extracted.odd_rows)
        core::log_warning(inputs.model.origin + ": layer '" + layer +
                          "' has values that are NaN or infinite, the first for image " +
                          inputs.stimuli.files[row / trials] +
                          " (such features cannot be scored) check the network's weights and "
                          "preprocessing");
}

int run_extract(const ExtractArguments& arguments, comm::Communicator& world) {
    pipeline::listen_for_stop_signals(exit_failed);  // an extraction begins anew
    const auto inputs = read_inputs(arguments, world);
    core::Workers workers(agreed_worker_threads(arguments.threads, world));
    const pipeline::StopRequest stop(std::nullopt);
    pipeline::Progress progress(world.rank() == 0 ? pipeline::Progress::Shown::yes
                                                  : pipeline::Progress::Shown::no);
    pipeline::TeamContext context{world, workers, stop, progress};
    context.kept.compression = arguments.compression;
    context.provenance["fingerprint"] = pipeline::agreed_fingerprint(world);
    const auto fitting = fitting_features(inputs.task, inputs.model, context);
    const auto extracted = extract_images(arguments, inputs, context);
    comm::run_collectively(world, [&] {
        if (world.rank() != 0) return;
        warn_of_other_answers(inputs.task, arguments.out);
        warn_of_odd_values(extracted, inputs, trials_of(arguments, inputs.model));
        if (inputs.task.is_wanted()) write_task_output(inputs.task, arguments.out, fitting);
        core::log_info(arguments.out + ": " + core::counted(inputs.layers.size(), "layer") +
                       " of " + core::counted(inputs.stimuli.stimulus_ids.size(), "image") + ", " +
                       core::bytes_text(static_cast<double>(io::file_bytes(arguments.out))));
    });
    if (arguments.timing) print_timing(extracted.timing, world);
    return exit_done;
}

}  // namespace

Subcommand add_extract(CLI::App& app) {
    const auto arguments = std::make_shared<ExtractArguments>();
    arguments->places.configs_folder = "configs";
    auto* sub = app.add_subcommand("extract", "the activations of a model for a set of images");
    sub->add_option("MODEL", arguments->model, "identifier of a model, or path of its TOML file")
        ->required();
    add_configs_option(*sub, arguments->places.configs_folder);
    add_stimulus_options(*sub, arguments->stimuli);
    sub->add_option("--out", arguments->out,
                    "the HDF5 file to write (xarray opens it); one that is there is kept")
        ->required();
    sub->add_flag("--force", arguments->force, "replace the file that is there");
    sub->add_option("--layers", arguments->layers, "layers (default: the model's candidates)")
        ->option_text("A,B")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--number-of-trials", arguments->number_of_trials,
                    "how often a model with require_variance = true is shown each image, each time "
                    "at another place (microsaccades); others once")
        ->check(CLI::Validator(trials_problem, "above 0"));
    sub->add_option(
        "--data", arguments->places.data_folder,
        "folder that the weights are relative to (default: VENTRAL_DATA, else the TOML)");
    add_task_options(*sub, arguments->task);
    add_threads_option(*sub, arguments->threads);
    add_compression_option(*sub, arguments->compression);
    sub->add_flag("--timing", arguments->timing,
                  "say on stderr how long loading, images, the network and writing took (the last "
                  "three added up over the workers), and the peak memory");
    return {sub, Ranks::all,
            [arguments](comm::Communicator& world) { return run_extract(*arguments, world); }};
}

}  // namespace ventral::jobs
