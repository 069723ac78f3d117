#include "pipeline/inputs/input_facts.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "comm/from_first_rank.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "pipeline/inputs/name_list.hpp"
#include "pipeline/inputs/shown_degrees.hpp"

namespace ventral::pipeline {
namespace {

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
        facts.failure = core::failure_of(error);
    }
    return facts;
}

std::vector<std::string> files_of(const models::ModelRecord& model) {
    return {model.weights_file, model.features.path, model.pca ? model.pca->features.path : ""};
}

std::vector<std::string> files_of(const benchmarks::DatasetRecord& dataset) {
    std::vector<std::string> files{dataset.stimuli.csv.path, dataset.stimuli.folder};
    for (const auto& [role, file] : dataset.assemblies) files.push_back(file.path);
    return files;
}

/// Adds to a failure that names a missing file where that was looked for.
template <typename Facts, typename Record>
Facts with_place(Facts facts, const Record& record, const config::RunRecord& run) {
    if (!facts.failure) return facts;
    for (const auto& file : files_of(record)) {
        std::error_code ignored;
        if (file.empty() || std::filesystem::exists(file, ignored)) continue;
        if (facts.failure->reason.find(file) == std::string::npos) continue;
        facts.failure->reason += where_sought(file, record.origin, run.data_folder);
        break;
    }
    return facts;
}

/// Which networks are not to be loaded.
class NotToLoad {
public:
    NotToLoad(const std::vector<models::ModelRecord>& networks, const NetworkTrial& trial) {
        if (!trial || networks.empty()) return;
        try {
            unusable_ = trial(networks);
        } catch (const core::TransientError& error) {
            for (const auto& network : networks) untried_.emplace(network.identifier, error);
        }
    }

    /// Throws why it is not to be loaded, if so.
    void check(const models::ModelRecord& model) const {
        const auto untried = untried_.find(model.identifier);
        if (untried != untried_.end()) throw untried->second;
        const auto crash = unusable_.find(model.identifier);
        if (crash != unusable_.end()) throw core::InputError(crash->second);
    }

private:
    std::map<std::string, std::string> unusable_;  ///< by identifier, why
    std::map<std::string, core::TransientError> untried_;
};

std::vector<models::ModelRecord> networks_to_try(const config::RunRecord& run,
                                                 const HashCache& known, Tried tried) {
    std::vector<models::ModelRecord> networks;
    for (const auto& model : run.models) {
        const bool is_left_out = tried == Tried::unknown && are_layers_known(model, known);
        if (!has_stored_features(model) && !is_left_out) networks.push_back(model);
    }
    return networks;
}

/// Compares the model's stored features with the stimuli of every dataset that they may be of and
/// that can be used.
void compare_stimuli(InputFacts& facts, const models::ModelRecord& model,
                     const config::RunRecord& run, HashCache& known) {
    auto& of_model = facts.models.at(full_name(model));
    const auto& path = model.features.path;
    for (const auto& [identifier, dataset] : run.datasets) {
        const auto& key = facts.datasets.at(identifier).stimuli_key;
        const bool is_other = !model.dataset.empty() && model.dataset != identifier;
        if (of_model.failure || key.empty() || is_other) continue;
        try {
            const auto found = known.of("degrees 2 " + name_list({identifier, key}), {path},
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
            of_model.failure = core::failure_of(error);
        }
    }
}

}  // namespace

std::string where_sought(const std::string& file, const std::string& origin,
                         const std::string& data_folder) {
    namespace fs = std::filesystem;
    const auto folder =
        data_folder.empty() ? fs::path(origin).parent_path() : fs::path(data_folder);
    const auto below = fs::path(file).lexically_relative(folder.lexically_normal());
    const bool is_elsewhere = below.empty() || *below.begin() == "..";
    if (fs::path(file).is_absolute() && is_elsewhere) return {};
    if (data_folder.empty())
        return "; it is sought beside " + origin + " (--data or VENTRAL_DATA names another folder)";
    return "; --data (or VENTRAL_DATA) has put the folder " + data_folder +
           " in place of that of " + origin + ": put the file there" +
           (benchmarks::is_brainio_list(origin) ? "" : ", or state an absolute path");
}

void require_any_file(const config::RunRecord& run) {
    bool needs_any = false;
    bool has_any = false;
    std::string first;  // that may be told, and where it was sought
    const auto look_for = [&](const auto& record, bool may_be_told) {
        for (const auto& file : files_of(record)) {
            if (has_any) return;
            std::error_code error;
            const auto status = std::filesystem::status(file, error);
            // A folder may be what a disk is mounted at.
            if (file.empty() || std::filesystem::is_directory(status)) continue;
            needs_any = true;
            has_any = status.type() != std::filesystem::file_type::not_found;
            if (first.empty() && may_be_told)
                first =
                    ", the first is " + file + where_sought(file, record.origin, run.data_folder);
        }
    };
    for (const auto& model : run.models) look_for(model, true);
    for (const auto& [identifier, dataset] : run.datasets)
        look_for(dataset, dataset.access == benchmarks::Access::open);
    if (needs_any && !has_any)
        throw core::InputError(run.origin + ": none of the files that it needs is there" + first);
}

std::size_t fitting_rows(const models::ModelRecord& model, const InputFacts& facts) {
    if (!model.pca) return 0;
    if (has_stored_features(model)) return facts.of(model).fitting_rows;
    return answer_bins(model) * facts.datasets.at(model.pca->dataset).stimuli;
}

InputFacts gather_facts(const config::RunRecord& run, const NetworkTrial& trial, HashCache known,
                        Tried tried) {
    InputFacts facts;
    Hasher hasher(known, facts.files);
    const NotToLoad not_to_load(networks_to_try(run, known, tried), trial);
    for (const auto& model : run.models) {
        const auto gather = [&] {
            return facts_of(model, run.layers, hasher, [&] { not_to_load.check(model); });
        };
        auto& of_model = facts.models[full_name(model)];
        of_model = with_place(gathered<ModelFacts>(gather), model, run);
        of_model.weight_bytes = weight_bytes_of(model);
    }
    for (const auto& [identifier, dataset] : run.datasets)
        facts.datasets[identifier] = with_place(
            gathered<DatasetFacts>([&, &record = dataset] { return facts_of(record, hasher); }),
            dataset, run);
    for (const auto& model : run.models)
        if (has_stored_features(model)) compare_stimuli(facts, model, run, known);
    known.save();
    return facts;
}

InputFacts share_facts(const config::RunRecord& run, comm::Communicator& world,
                       const NetworkTrial& trial, HashCache known) {
    return comm::from_first_rank<InputFacts>(
        world, [&] { return gather_facts(run, trial, std::move(known), Tried::unknown); });
}

}  // namespace ventral::pipeline
