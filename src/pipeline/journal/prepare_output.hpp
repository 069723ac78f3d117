#pragma once
/// @file
/// The folder that a run writes into.

#include <string>

#include "comm/communicator.hpp"

namespace ventral::pipeline {

/// Makes the output folders, tries to write there, makes sure that all ranks find the same ones,
/// and removes temporary files of runs that were killed. Throws `core::InputError`, with several
/// ranks `comm::CollectiveError`. Collective.
void prepare_output(const std::string& out, comm::Communicator& world);

}  // namespace ventral::pipeline
