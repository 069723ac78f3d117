#pragma once
/// @file
/// What the plan needs to know of the files that a run names: their hashes and the layers of the
/// models. Gathered by one rank, told to the others.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/run_record.hpp"
#include "core/errors.hpp"
#include "core/stimulus_set.hpp"
#include "pipeline/inputs/hash_cache.hpp"

namespace ventral::pipeline {

/// Of one model. `failure` says why it cannot be used, or is empty; the class is that of a failure.
struct ModelFacts {
    std::string content_key;  ///< weights and all that changes what they give; not the name
    std::vector<std::string>
        layers;               ///< all there are: of stored features, or if the run asks for all
    double weight_bytes = 0;  ///< size of the file, also where its content cannot be used
    std::string device;       ///< `device_of`
    std::string fitting_key;  ///< of the stored features that its PCA is fitted on, if it is
    std::size_t fitting_rows = 0;  ///< of them, see `rows_in_time`
    /// Dataset → why stored features are not of its stimuli, where they are not.
    std::map<std::string, std::string> other_stimuli;
    std::string failure;
    core::FailureClass failure_class = core::FailureClass::deterministic;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& content_key& layers& weight_bytes& device& fitting_key& fitting_rows;
        archive& other_stimuli& failure& failure_class;
    }
};

/// Of one dataset.
struct DatasetFacts {
    std::string stimuli_key;    ///< ids, bytes and degrees of the images; empty without stimuli
    std::string stimuli_table;  ///< its path
    std::string stimuli_state;  ///< `state_of` table and images; empty: they were not read now
    std::size_t stimuli = 0;
    std::map<std::string, std::string> assembly_keys;  ///< by role, the stimulus table among them
    std::string failure;
    core::FailureClass failure_class = core::FailureClass::deterministic;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& stimuli_key& stimuli_table& stimuli_state& stimuli& assembly_keys;
        archive& failure& failure_class;
    }
};

/// What files held when they were hashed, now or by an earlier start.
struct KnownContent {
    std::string hash;
    std::string state;  ///< `state_of` the files; empty: they were not read now

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& hash& state;
    }
};

struct InputFacts {
    std::map<std::string, ModelFacts> models;
    std::map<std::string, DatasetFacts> datasets;
    std::map<std::string, KnownContent> files;  ///< by path: SHA-256

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& models& datasets& files;
    }
};

/// What the model's PCA is fitted on: presentations, or images, in each time bin; 0 without a PCA.
std::size_t fitting_rows(const models::ModelRecord& model, const InputFacts& facts);

/// The table, then the images.
std::vector<std::string> files_of_stimuli(const std::string& table,
                                          const core::StimulusSet& stimuli);

/// Throws `core::InputError` if a file has another checksum, of `kind` "sha1" or "sha256", than is
/// stated. If none is, the log says what it is.
void compare_checksum(const std::string& path, const char* kind, const std::string& stated,
                      const std::string& actual);

/// Where a file was looked for that a TOML file, `origin`, names: "; it is sought beside …".
/// Nothing if the TOML file gives the whole path.
std::string where_sought(const std::string& file, const std::string& origin,
                         const std::string& data_folder);

/// Tries networks where a crash does no harm: identifier → why the file cannot be used, for those
/// that crash or do not end. Throws `core::TransientError` where they cannot be tried. Without a
/// trial such a file ends the program when it is loaded.
using NetworkTrial =
    std::function<std::map<std::string, std::string>(const std::vector<models::ModelRecord>&)>;

/// Reads and hashes every file of the run that `known` does not remember, and keeps there what it
/// finds; what rests on memory, or changes afterwards, is for `InputTruth` to check. A file that is
/// missing, damaged or has another checksum than is stated is a failure of its model or dataset,
/// not an exception; a checksum that is not stated is logged, so that it can be. A network that
/// cannot be tried fails too.
InputFacts gather_facts(const config::RunRecord& run, const NetworkTrial& trial = {},
                        HashCache known = {});

/// The same on every rank: the first gathers, with its `known`. Collective.
InputFacts share_facts(const config::RunRecord& run, comm::Communicator& world,
                       const NetworkTrial& trial = {}, HashCache known = {});

}  // namespace ventral::pipeline
