#pragma once
/// @file
/// What the plan needs to know of a dataset's files.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/dataset_record.hpp"
#include "core/archive_optional.hpp"
#include "core/errors.hpp"
#include "core/stimulus_set.hpp"
#include "pipeline/inputs/hasher.hpp"

namespace ventral::pipeline {

/// Of one dataset.
struct DatasetFacts {
    std::string stimuli_key;    ///< ids, bytes and degrees of the images; empty without stimuli
    std::string stimuli_table;  ///< its path
    std::string stimuli_state;  ///< `state_of` table and images; empty: they were not read now
    std::size_t stimuli = 0;
    std::map<std::string, std::string> assembly_keys;  ///< by role, the stimulus table among them
    std::optional<core::Failure> failure;              ///< why it cannot be used, if so

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& stimuli_key& stimuli_table& stimuli_state& stimuli& assembly_keys;
        core::archive_optional(archive, failure);
    }
};

/// Reads and hashes the dataset's files. Throws `core::InputError` if they cannot be used.
DatasetFacts facts_of(const benchmarks::DatasetRecord& dataset, Hasher& hasher);

/// Throws as `io::read_stimulus_set`.
core::StimulusSet read_stimuli(const benchmarks::DatasetRecord& dataset);

/// Gives `use` the stimuli of a dataset. What goes wrong with private ones is not told.
void with_stimuli(const benchmarks::DatasetRecord& dataset,
                  const std::function<void(const core::StimulusSet&)>& use);

/// The table, then the images.
std::vector<std::string> files_of_stimuli(const std::string& table,
                                          const core::StimulusSet& stimuli);

}  // namespace ventral::pipeline
