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
#include "pipeline/inputs/dataset_facts.hpp"
#include "pipeline/inputs/hash_cache.hpp"
#include "pipeline/inputs/model_facts.hpp"

namespace ventral::pipeline {

struct InputFacts {
    std::map<models::ModelName, ModelFacts> models;
    std::map<std::string, DatasetFacts> datasets;
    std::map<std::string, KnownContent> files;  ///< by path: SHA-256

    const ModelFacts& of(const models::ModelRecord& model) const {
        return models.at(full_name(model));
    }

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& models& datasets& files;
    }
};

/// What the model's PCA is fitted on: presentations, or images, in each time bin; 0 without a PCA.
std::size_t fitting_rows(const models::ModelRecord& model, const InputFacts& facts);

/// Where a file was looked for that a TOML file, `origin`, names: "; it is sought beside …".
/// Nothing if the TOML file gives the whole path.
std::string where_sought(const std::string& file, const std::string& origin,
                         const std::string& data_folder);

/// Throws `core::InputError` if the run names files and none of them is there, folders aside:
/// `--data` is forgotten or a disk is not mounted, and to fail every score for it would put
/// failures into the tables where scores are.
void require_any_file(const config::RunRecord& run);

/// Tries networks where a crash does no harm: identifier → why the file cannot be used, for those
/// that crash or do not end. Throws `core::TransientError` where they cannot be tried. Without a
/// trial such a file ends the program when it is loaded.
using NetworkTrial =
    std::function<std::map<std::string, std::string>(const std::vector<models::ModelRecord>&)>;

/// Which networks are tried.
enum class Tried {
    all,
    unknown  ///< those alone whose layers are not known from an earlier start
};

/// Reads and hashes every file of the run that `known` does not remember, and keeps there what it
/// finds; what rests on memory, or changes afterwards, is for `InputTruth` to check. A file that is
/// missing, damaged or has another checksum than is stated is a failure of its model or dataset,
/// not an exception; a checksum that is not stated is logged, so that it can be. A network that
/// cannot be tried fails too.
InputFacts gather_facts(const config::RunRecord& run, const NetworkTrial& trial = {},
                        HashCache known = {}, Tried tried = Tried::all);

/// The same on every rank: the first gathers, with its `known`, and tries what is unknown.
/// Collective.
InputFacts share_facts(const config::RunRecord& run, comm::Communicator& world,
                       const NetworkTrial& trial = {}, HashCache known = {});

}  // namespace ventral::pipeline
