#include "pipeline/input_facts.hpp"

#include <filesystem>
#include <functional>
#include <system_error>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "io/stimulus_csv.hpp"
#include "models/load_network.hpp"
#include "pipeline/keys.hpp"
#include "pipeline/stored_features.hpp"

namespace ventral::pipeline {
namespace {

void compare_checksum(const std::string& path, const char* kind, const std::string& stated,
                      const std::string& actual) {
    if (stated.empty())
        core::log_warning(path + ": no checksum is stated; " + kind + " = \"" + actual + "\"");
    else if (stated != actual)
        throw core::InputError(path + ": the checksum is wrong (" + kind + " is " + actual +
                               ", stated is " + stated +
                               ") the file was changed or is damaged: get it again, or state the "
                               "new checksum");
}

void check_file(const benchmarks::DataFile& file) {
    compare_checksum(file.path, "sha1", file.sha1, core::sha1_of_file(file.path));
}

std::vector<std::string> layers_of_network(const models::ModelRecord& model) {
    return models::load_network(model).layers();
}

/// In place of the size of a file of weights, which orders the units: that of a small network.
constexpr double builtin_weight_bytes = 5e6;

ModelFacts facts_of_builtin(const models::ModelRecord& model, config::LayerChoice layers) {
    ModelFacts facts;
    facts.device = device_of(model);
    facts.content_key = model_key(model, models::content_hash(*model.builtin));
    if (layers == config::LayerChoice::all) facts.layers = layers_of_network(model);
    return facts;
}

void add_stored(ModelFacts& facts, const core::Assembly& features) {
    facts.layers = stored_layers(features);
    if (change_in_time(features)) facts.content_key = in_time_key(facts.content_key);
}

ModelFacts facts_of(const models::ModelRecord& model, config::LayerChoice layers) {
    if (model.builtin) return facts_of_builtin(model, layers);
    ModelFacts facts;
    const bool stored = !model.features_file.empty();
    const std::string& path = stored ? model.features_file : model.weights_file;
    const std::string hash = core::sha256_of_file(path);
    if (!stored) compare_checksum(path, "sha256", model.weights_sha256, hash);
    facts.device = device_of(model);
    facts.content_key = model_key(model, hash);
    if (stored)
        add_stored(facts, read_stored(model));
    else if (layers == config::LayerChoice::all)
        facts.layers = layers_of_network(model);
    return facts;
}

/// Also of a file whose content cannot be used; 0 if it is missing.
double weight_bytes_of(const models::ModelRecord& model) {
    if (model.builtin) return builtin_weight_bytes;
    std::error_code missing;
    const auto size = std::filesystem::file_size(
        model.features_file.empty() ? model.weights_file : model.features_file, missing);
    return missing ? 0 : static_cast<double>(size);
}

void add_stimuli(DatasetFacts& facts, const benchmarks::DatasetRecord& dataset) {
    try {
        const auto stimuli =
            io::read_stimulus_set({dataset.identifier, dataset.stimuli.csv.path,
                                   dataset.stimuli.folder, dataset.stimuli.visual_degrees});
        facts.stimuli_key = stimuli_key(stimuli);
        facts.stimuli = stimuli.stimulus_ids.size();
    } catch (const core::InputError&) {
        if (dataset.access == benchmarks::Access::open) throw;
        throw core::InputError(dataset.stimuli.csv.path +
                               ": the stimulus set cannot be used (details are withheld: its "
                               "access is private)");
    }
}

DatasetFacts facts_of(const benchmarks::DatasetRecord& dataset) {
    DatasetFacts facts;
    for (const auto& [role, file] : dataset.assemblies) {
        check_file(file);
        facts.assembly_keys[role] = assembly_key(file.variable, core::sha256_of_file(file.path));
    }
    if (dataset.stimuli.csv.path.empty()) return facts;
    check_file(dataset.stimuli.csv);
    // Its columns become coordinates of the recordings, by which benchmarks select and stratify.
    facts.assembly_keys["stimulus table"] = core::sha256_of_file(dataset.stimuli.csv.path);
    add_stimuli(facts, dataset);
    return facts;
}

/// The facts, or a failure with the reason.
template <typename Facts>
Facts gathered(const std::function<Facts()>& gather) {
    Facts facts;
    try {
        return gather();
    } catch (const std::exception& error) {
        facts.failure = error.what();
    }
    return facts;
}

std::vector<std::string> files_of(const models::ModelRecord& model) {
    return {model.weights_file, model.features_file};
}

std::vector<std::string> files_of(const benchmarks::DatasetRecord& dataset) {
    std::vector<std::string> files{dataset.stimuli.csv.path, dataset.stimuli.folder};
    for (const auto& [role, file] : dataset.assemblies) files.push_back(file.path);
    return files;
}

/// Adds to a failure where a file was looked for, if it is missing.
template <typename Facts, typename Record>
Facts with_place(Facts facts, const Record& record, const config::RunRecord& run) {
    if (facts.failure.empty()) return facts;
    for (const auto& file : files_of(record)) {
        std::error_code ignored;
        if (file.empty() || std::filesystem::exists(file, ignored)) continue;
        facts.failure += run.data_folder.empty()
                             ? "; it is sought beside " + record.origin +
                                   " (--data or VENTRAL_DATA names another folder)"
                             : "; --data (or VENTRAL_DATA) has put the folder " + run.data_folder +
                                   " in place of that of " + record.origin;
        break;
    }
    return facts;
}

std::vector<models::ModelRecord> networks_of(const config::RunRecord& run) {
    std::vector<models::ModelRecord> networks;
    for (const auto& model : run.models)
        if (model.features_file.empty()) networks.push_back(model);
    return networks;
}

}  // namespace

InputFacts gather_facts(const config::RunRecord& run, const NetworkTrial& trial) {
    InputFacts facts;
    std::map<std::string, std::string> crashing;
    if (trial) crashing = trial(networks_of(run));
    for (const auto& model : run.models) {
        const auto gather = [&] {
            const auto crash = crashing.find(model.identifier);
            if (crash != crashing.end()) throw core::InputError(crash->second);
            return facts_of(model, run.layers);
        };
        auto& known = facts.models[model.identifier];
        known = with_place(gathered<ModelFacts>(gather), model, run);
        known.weight_bytes = weight_bytes_of(model);
    }
    for (const auto& [identifier, dataset] : run.datasets)
        facts.datasets[identifier] =
            with_place(gathered<DatasetFacts>([&, &record = dataset] { return facts_of(record); }),
                       dataset, run);
    return facts;
}

InputFacts share_facts(const config::RunRecord& run, comm::Communicator& world,
                       const NetworkTrial& trial) {
    std::string packed;
    comm::run_collectively(world, [&] {
        if (world.rank() == 0) packed = comm::pack(gather_facts(run, trial));
    });
    return comm::unpack<InputFacts>(world.broadcast(packed, 0));
}

}  // namespace ventral::pipeline
