#pragma once
/// @file
/// The small data with the facts that the plan is told of them.

#include <chrono>
#include <string>

#include "pipeline/inputs/input_facts.hpp"
#include "support/small_data.hpp"

namespace ventral::test {

struct GatheredData : SmallData {
    pipeline::ModelFacts model() const {
        return pipeline::gather_facts(run).models.at({"stored", ""});
    }
    pipeline::DatasetFacts dataset() const {
        return pipeline::gather_facts(run).datasets.at("small");
    }
    std::string model_failure() const { return model().failure.value_or(core::Failure{}).reason; }
    std::string dataset_failure() const {
        return dataset().failure.value_or(core::Failure{}).reason;
    }

    /// As they are a minute later, with what earlier calls have left.
    pipeline::InputFacts known_facts() const {
        const auto in_a_minute = [] {
            return std::chrono::system_clock::now() + std::chrono::minutes(1);
        };
        return pipeline::gather_facts(run, {},
                                      {hashes, pipeline::HashCache::Trust::yes, in_a_minute});
    }

    std::string hashes = folder.file("hashes.json");
};

/// Whether its hash is that of an earlier start, so that nothing was read.
inline bool is_remembered(const pipeline::InputFacts& facts, const std::string& path) {
    return facts.files.at(path).state.empty();
}

}  // namespace ventral::test
