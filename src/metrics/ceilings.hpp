#pragma once
/// @file
/// The table of ceilings by their Brain-Score names.

#include <functional>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"

namespace ventral::metrics {

struct RegisteredCeiling {
    std::string name;
    int version;
    std::function<core::Score(const core::Assembly& repetitions, core::Workers&)> compute;
};

const std::vector<RegisteredCeiling>& registered_ceilings();

/// Throws `core::InputError` that lists the names there are.
const RegisteredCeiling& find_ceiling(const std::string& name);

}  // namespace ventral::metrics
