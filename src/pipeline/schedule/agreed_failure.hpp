#pragma once
/// @file
/// What all ranks of a team go on after.

#include <exception>

#include "comm/communicator.hpp"
#include "core/errors.hpp"

namespace ventral::pipeline {

/// The failure of a unit that `error` stands for, the same on any number of ranks, in the handler
/// of what all ranks of a team met together. Throws `error` again if it is no failure of the unit,
/// or if this rank alone may have met it: the others would wait for it in the next step.
core::Failure agreed_failure(const std::exception& error, const comm::Communicator& team);

}  // namespace ventral::pipeline
