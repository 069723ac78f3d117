#pragma once
/// @file
/// What an extraction by the small network starts from.

#include <string>

#include "comm/communicator.hpp"
#include "core/stimulus_set.hpp"
#include "io/text/stimulus_csv.hpp"
#include "models/model_record.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "support/small_network.hpp"

namespace ventral::test {

/// The small network's files, seen from any rank, for the CPU whatever the machine has. Collective.
struct ExtractionSource {
    ExtractionSource(comm::Communicator& world, const std::string& folder) {
        models::configure_torch();
        if (world.rank() == 0) write_small_network(folder);
        world.barrier();
        model = small_network_run(folder).models[0];
        model.device = "cpu";
        stimuli = io::read_stimulus_set({"images", folder + "/stimuli.csv", folder, 8});
    }

    models::ModelRecord model;
    core::StimulusSet stimuli;
};

}  // namespace ventral::test
