#include "pipeline/inputs/input_truth.hpp"

#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "pipeline/inputs/keys.hpp"

namespace ventral::pipeline {
namespace {

std::string hash_now(const std::function<std::string()>& hash) {
    try {
        return hash();
    } catch (const core::InputError& error) {
        throw_gone(error);
    }
}

}  // namespace

void throw_gone(const core::InputError& error) {
    throw core::TransientError(std::string(error.what()) + ", it could be read when the run began");
}

InputTruth::InputTruth(const InputFacts& facts, std::string hashes, std::function<void()> got_on)
    : hashes_(std::move(hashes)), got_on_(std::move(got_on)), files_(facts.files) {
    for (const auto& [identifier, dataset] : facts.datasets)
        stimuli_[identifier] = {dataset.stimuli_table,
                                {dataset.stimuli_key, dataset.stimuli_state}};
}

void InputTruth::forget(const std::string& what) const {
    std::error_code ignored;
    std::filesystem::remove(hashes_, ignored);
    throw core::TransientError(what + ": is not what it was when the run began (" + hashes_ +
                               ", which remembered it, is removed) run again");
}

void InputTruth::require(KnownContent& known, const std::vector<std::string>& files,
                         const std::string& what, const std::function<std::string()>& hash) const {
    auto state = state_of(files);
    if (!state.empty() && state == known.state) return;
    if (hash_now(hash) != known.hash) forget(what);
    known.state = std::move(state);
}

void InputTruth::require_file(const std::string& path) {
    const auto known = files_.find(path);
    if (known == files_.end()) return;
    require(known->second, {path}, path, [&] { return core::sha256_of_file(path, got_on_); });
}

void InputTruth::require_stimuli(const std::string& dataset, const core::StimulusSet& stimuli) {
    const auto known = stimuli_.find(dataset);
    if (known == stimuli_.end() || known->second.table.empty()) return;
    require(known->second.content, files_of_stimuli(known->second.table, stimuli),
            "an image of dataset '" + dataset + "'", [&] { return stimuli_key(stimuli, got_on_); });
}

}  // namespace ventral::pipeline
