#pragma once
/// @file
/// What the plan needs to know of a model's files.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "core/archive_optional.hpp"
#include "core/errors.hpp"
#include "models/model_record.hpp"
#include "pipeline/inputs/hasher.hpp"

namespace ventral::pipeline {

/// Of one model.
struct ModelFacts {
    std::string content_key;  ///< weights and all that changes what they give; not the name
    std::vector<std::string>
        layers;               ///< all there are: of stored features, or if the run asks for all
    double weight_bytes = 0;  ///< size of the file, also where its content cannot be used
    bool in_time = false;     ///< of stored features: in several time bins
    std::string device;       ///< `device_of`
    std::string fitting_key;  ///< of the stored features that its PCA is fitted on, if it is
    std::size_t fitting_rows = 0;  ///< of them, see `rows_in_time`
    /// Dataset → why stored features are not of its stimuli, where they are not.
    std::map<std::string, std::string> other_stimuli;
    std::optional<core::Failure> failure;  ///< why it cannot be used, if so

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& content_key& layers& weight_bytes& in_time& device& fitting_key& fitting_rows;
        archive& other_stimuli;
        core::archive_optional(archive, failure);
    }
};

/// Reads and hashes the model's files. A network is loaded if all its layers are asked for, after
/// `before_loading`, which may throw, but no sooner than its checksum is known to be right. Throws
/// `core::InputError` if they cannot be used.
ModelFacts facts_of(const models::ModelRecord& model, config::LayerChoice layers, Hasher& hasher,
                    const std::function<void()>& before_loading);

/// Whether the layers of a network are known from an earlier start: then it is not loaded for them.
bool are_layers_known(const models::ModelRecord& model, const HashCache& known);

/// `ModelFacts::weight_bytes`; 0 if the file is missing.
double weight_bytes_of(const models::ModelRecord& model);

}  // namespace ventral::pipeline
