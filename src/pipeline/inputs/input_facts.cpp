#include "pipeline/inputs/input_facts.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "comm/from_first_rank.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/activations_file.hpp"
#include "io/packing.hpp"
#include "io/stimulus_csv.hpp"
#include "io/survivable.hpp"
#include "models/load_network.hpp"
#include "pipeline/inputs/fitting_features.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/shown_degrees.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/inputs/withheld.hpp"

namespace ventral::pipeline {
namespace {

/// Hashes files, unless they are known.
class Hasher {
public:
    Hasher(HashCache& known, std::map<std::string, KnownContent>& files)
        : known_(known), files_(files) {}

    /// Of a file that two records name once only: it could change in between.
    std::string sha256(const std::string& path) {
        if (const auto found = files_.find(path); found != files_.end()) return found->second.hash;
        const auto hash = known_.of("sha256", {path}, [&] { return core::sha256_of_file(path); });
        files_[path] = {hash.text, hash.state};
        return hash.text;
    }
    std::string sha1(const std::string& path) {
        return known_.of("sha1", {path}, [&] { return core::sha1_of_file(path); }).text;
    }
    HashCache& known() { return known_; }

private:
    HashCache& known_;
    std::map<std::string, KnownContent>& files_;
};

void check_file(const benchmarks::DataFile& file, Hasher& hasher) {
    compare_checksum(file.path, "sha1", file.sha1, hasher.sha1(file.path));
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

/// Names of any characters as one text: "5:layer".
std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += std::to_string(name.size()) + ":" + name;
    return text;
}

std::vector<std::string> parted(const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto colon = text.find(':', begin);
        names.push_back(text.substr(colon + 1, std::stoul(text.substr(begin, colon - begin))));
        begin = colon + 1 + names.back().size();
    }
    return names;
}

/// Throws `core::InputError` if a file of activations is not what `extract` has written. Other
/// files of features have no checksums.
void verify_extracted(const std::string& path, HashCache& known) {
    known.of("verified activations 1", {path}, [&] {
        if (!is_extracted(path)) return "other";
        io::require_survivable(path, [&] { io::ActivationsFile(path).visual_degrees(); });
        core::log_info("verifying the checksums of " + path);
        const io::ActivationsFile file(path);
        for (const auto& layer : file.layers()) file.verify(layer.name);
        return "whole";
    });
}

/// Names what a file was read for, in the way that this version reads.
std::string reading(const std::string& what) {
    return what + " " + std::to_string(io::unpacking_version) + " ";
}

void add_stored(ModelFacts& facts, const models::ModelRecord& model, HashCache& known) {
    verify_extracted(model.features_file, known);
    const auto content =
        known.of(reading("stored features") + model.features_variable, {model.features_file}, [&] {
            const auto stored = open_stored(model);
            const auto& features = stored.labels();
            return (change_in_time(features) ? "t" : "s") + joined(stored_layers(features));
        });
    facts.layers = parted(content.text.substr(1));
    if (content.text.front() == 't') facts.content_key = in_time_key(facts.content_key);
}

/// Of the stored features that the PCA of others is fitted on.
void add_fitting(ModelFacts& facts, const models::ModelRecord& model, Hasher& hasher) {
    const auto& pca = *model.pca;
    facts.fitting_key = assembly_key(pca.features_variable, hasher.sha256(pca.features_file));
    if (pca.features_file != model.features_file)
        verify_extracted(pca.features_file, hasher.known());
    const auto rows = hasher.known().of(
        reading("rows of features") + pca.features_variable, {pca.features_file},
        [&] { return std::to_string(rows_in_time(open_fitting(model).labels())); });
    facts.fitting_rows = std::stoul(rows.text);
}

ModelFacts facts_of(const models::ModelRecord& model, config::LayerChoice layers, Hasher& hasher) {
    if (model.builtin) return facts_of_builtin(model, layers);
    ModelFacts facts;
    const bool stored = !model.features_file.empty();
    const std::string& path = stored ? model.features_file : model.weights_file;
    const std::string hash = hasher.sha256(path);
    if (!stored) compare_checksum(path, "sha256", model.weights_sha256, hash);
    facts.device = device_of(model);
    facts.content_key = model_key(model, hash);
    if (stored) add_stored(facts, model, hasher.known());
    if (stored && model.pca) add_fitting(facts, model, hasher);
    if (!stored && layers == config::LayerChoice::all) facts.layers = layers_of_network(model);
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

/// With the hashes of all images.
FromContent key_of(const core::StimulusSet& stimuli, const benchmarks::StimulusRecord& record,
                   HashCache& known) {
    return known.of("stimuli 1 " + core::number_text(record.degrees()),
                    files_of_stimuli(record.csv.path, stimuli),
                    [&] { return stimuli_key(stimuli); });
}

/// Gives `use` the stimuli of a dataset. What goes wrong with private ones is not told.
void with_stimuli(const benchmarks::DatasetRecord& dataset,
                  const std::function<void(const core::StimulusSet&)>& use) {
    const auto& record = dataset.stimuli;
    try {
        use(io::read_stimulus_set(
            {dataset.identifier, record.csv.path, record.folder, record.degrees()}));
    } catch (const core::InputError& error) {
        if (dataset.access == benchmarks::Access::open) throw;
        core::throw_again(error, withheld(record.csv.path + ": the stimulus set cannot be used"));
    }
}

void add_stimuli(DatasetFacts& facts, const benchmarks::DatasetRecord& dataset, HashCache& known) {
    with_stimuli(dataset, [&](const core::StimulusSet& stimuli) {
        if (const auto warning = io::degrees_warning(dataset.stimuli.csv.path,
                                                     dataset.stimuli.visual_degrees, stimuli))
            core::log_warning_once(*warning);
        const auto key = key_of(stimuli, dataset.stimuli, known);
        facts.stimuli_key = key.text;
        facts.stimuli_table = dataset.stimuli.csv.path;
        facts.stimuli_state = key.state;
        facts.stimuli = stimuli.stimulus_ids.size();
    });
}

DatasetFacts facts_of(const benchmarks::DatasetRecord& dataset, Hasher& hasher) {
    DatasetFacts facts;
    for (const auto& [role, file] : dataset.assemblies) {
        check_file(file, hasher);
        facts.assembly_keys[role] = assembly_key(file.variable, hasher.sha256(file.path));
    }
    if (dataset.stimuli.csv.path.empty()) return facts;
    check_file(dataset.stimuli.csv, hasher);
    // Its columns become coordinates of the recordings, by which benchmarks select and stratify.
    facts.assembly_keys["stimulus table"] = hasher.sha256(dataset.stimuli.csv.path);
    add_stimuli(facts, dataset, hasher.known());
    return facts;
}

/// What comes of comparing features with the stimuli of a dataset, as it is remembered: this, or
/// nothing if they go together, or why they do not.
constexpr auto says_no_degrees = "?";

std::string compared(const std::string& features, const benchmarks::DatasetRecord& dataset) {
    if (!is_extracted(features)) return {};
    const auto shown = shown_images(features);
    if (shown.visual_degrees.empty()) return says_no_degrees;
    std::optional<std::string> problem;
    with_stimuli(dataset, [&](const core::StimulusSet& stimuli) {
        problem = degrees_problem(shown, stimuli, dataset.stimuli.degrees());
    });
    return problem.value_or("");
}

/// The facts, or a failure with the reason.
template <typename Facts>
Facts gathered(const std::function<Facts()>& gather) {
    Facts facts;
    try {
        return gather();
    } catch (const std::exception& error) {
        facts.failure = error.what();
        facts.failure_class = core::failure_class_of(error);
    }
    return facts;
}

std::vector<std::string> files_of(const models::ModelRecord& model) {
    return {model.weights_file, model.features_file, model.pca ? model.pca->features_file : ""};
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
        facts.failure += where_sought(file, record.origin, run.data_folder);
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

/// Which networks are not to be loaded, by identifier: one of the two says why.
struct NotToLoad {
    std::map<std::string, std::string> unusable;
    std::optional<core::TransientError> untried;  ///< none of them could be
};

NotToLoad not_to_load(const std::vector<models::ModelRecord>& networks, const NetworkTrial& trial) {
    NotToLoad found;
    if (!trial) return found;
    try {
        found.unusable = trial(networks);
    } catch (const core::TransientError& error) {
        found.untried = error;
    }
    return found;
}

/// Compares the model's stored features with the stimuli of every dataset that can be used.
void compare_stimuli(InputFacts& facts, const models::ModelRecord& model,
                     const config::RunRecord& run, HashCache& known) {
    auto& of_model = facts.models.at(model.identifier);
    const auto& path = model.features_file;
    for (const auto& [identifier, dataset] : run.datasets) {
        const auto& key = facts.datasets.at(identifier).stimuli_key;
        if (!of_model.failure.empty() || key.empty()) continue;
        try {
            const auto found = known.of("degrees 2 " + joined({identifier, key}), {path},
                                        [&, &record = dataset] { return compared(path, record); });
            if (found.text == says_no_degrees)
                core::log_warning_once(
                    path +
                    ": does not say how wide its images were shown (an earlier version has written "
                    "it) extract it again, or make sure that they were as wide as the datasets "
                    "say");
            else if (!found.text.empty())
                of_model.other_stimuli[identifier] = found.text;
        } catch (const std::exception& error) {
            of_model.failure = error.what();
            of_model.failure_class = core::failure_class_of(error);
        }
    }
}

}  // namespace

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

std::string where_sought(const std::string& file, const std::string& origin,
                         const std::string& data_folder) {
    namespace fs = std::filesystem;
    const auto folder =
        data_folder.empty() ? fs::path(origin).parent_path() : fs::path(data_folder);
    const bool is_elsewhere =
        folder.is_relative() || !file.starts_with(folder.lexically_normal().string());
    if (fs::path(file).is_absolute() && is_elsewhere) return {};
    if (data_folder.empty())
        return "; it is sought beside " + origin + " (--data or VENTRAL_DATA names another folder)";
    return "; --data (or VENTRAL_DATA) has put the folder " + data_folder +
           " in place of that of " + origin;
}

std::size_t fitting_rows(const models::ModelRecord& model, const InputFacts& facts) {
    if (!model.pca) return 0;
    if (!model.features_file.empty()) return facts.models.at(model.identifier).fitting_rows;
    const std::size_t bins = model.time ? model.time->bins.size() : 1;
    return bins * facts.datasets.at(model.pca->dataset).stimuli;
}

std::vector<std::string> files_of_stimuli(const std::string& table,
                                          const core::StimulusSet& stimuli) {
    std::vector<std::string> files{table};
    files.insert(files.end(), stimuli.files.begin(), stimuli.files.end());
    return files;
}

InputFacts gather_facts(const config::RunRecord& run, const NetworkTrial& trial, HashCache known) {
    InputFacts facts;
    Hasher hasher(known, facts.files);
    const auto crashing = not_to_load(networks_of(run), trial);
    for (const auto& model : run.models) {
        const auto gather = [&] {
            if (crashing.untried && model.features_file.empty()) throw *crashing.untried;
            const auto crash = crashing.unusable.find(model.identifier);
            if (crash != crashing.unusable.end()) throw core::InputError(crash->second);
            return facts_of(model, run.layers, hasher);
        };
        auto& of_model = facts.models[model.identifier];
        of_model = with_place(gathered<ModelFacts>(gather), model, run);
        of_model.weight_bytes = weight_bytes_of(model);
    }
    for (const auto& [identifier, dataset] : run.datasets)
        facts.datasets[identifier] = with_place(
            gathered<DatasetFacts>([&, &record = dataset] { return facts_of(record, hasher); }),
            dataset, run);
    for (const auto& model : run.models)
        if (!model.features_file.empty()) compare_stimuli(facts, model, run, known);
    known.save();
    return facts;
}

InputFacts share_facts(const config::RunRecord& run, comm::Communicator& world,
                       const NetworkTrial& trial, HashCache known) {
    return comm::from_first_rank<InputFacts>(
        world, [&] { return gather_facts(run, trial, std::move(known)); });
}

}  // namespace ventral::pipeline
