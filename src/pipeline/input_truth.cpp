#include "pipeline/input_truth.hpp"

#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "pipeline/keys.hpp"

namespace ventral::pipeline {

InputTruth::InputTruth(const InputFacts& facts, std::string hashes, std::function<void()> got_on)
    : hashes_(std::move(hashes)), got_on_(std::move(got_on)), files_(facts.remembered) {
    for (const auto& [identifier, dataset] : facts.datasets)
        if (dataset.stimuli_remembered) stimuli_[identifier] = dataset.stimuli_key;
}

void InputTruth::forget(const std::string& what) const {
    std::error_code ignored;
    std::filesystem::remove(hashes_, ignored);
    throw core::OutputError(hashes_ + ": is removed (" + what +
                            " is not what it was when the run began) run again");
}

void InputTruth::require_file(const std::string& path) {
    const auto known = files_.find(path);
    if (known == files_.end()) return;
    if (core::sha256_of_file(path, got_on_) != known->second) forget(path);
    files_.erase(known);
}

void InputTruth::require_stimuli(const std::string& dataset, const core::StimulusSet& stimuli) {
    const auto known = stimuli_.find(dataset);
    if (known == stimuli_.end()) return;
    if (stimuli_key(stimuli, got_on_) != known->second)
        forget("an image of dataset '" + dataset + "'");
    stimuli_.erase(known);
}

}  // namespace ventral::pipeline
