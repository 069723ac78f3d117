#pragma once
/// @file
/// What the plan may be told about the files of a small run, without files.

#include "pipeline/inputs/input_facts.hpp"
#include "support/small_run.hpp"

namespace ventral::test {

/// Facts that suit `small_run`: its two layers, and a hash by name for every file.
inline pipeline::InputFacts small_facts(const config::RunRecord& run) {
    pipeline::InputFacts facts;
    for (const auto& model : run.models) {
        auto& known = facts.models[full_name(model)];
        known.content_key = "content of " + model.identifier;
        known.layers = {narrow_layer, wide_layer};
        known.weight_bytes = 1000;
    }
    for (const auto& [identifier, dataset] : run.datasets)
        for (const auto& [role, file] : dataset.assemblies)
            facts.datasets[identifier].assembly_keys[role] = "hash of " + identifier;
    return facts;
}

}  // namespace ventral::test
