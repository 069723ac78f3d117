#pragma once
/// @file
/// An exception as a failed unit's record tells it.

#include <exception>

#include "comm/communicator.hpp"
#include "core/errors.hpp"

namespace ventral::pipeline {

/// Of a `comm::CollectiveError` the class and reason that the failed rank had, without its number:
/// the same for any number of ranks.
core::Failure failure_of(const std::exception& error);

/// The same, for all ranks of a team to go on with, in the handler of what they met together.
/// Throws `error` again if it is no failure of the unit, or if this rank alone may have met it: the
/// others would wait for it in the next step.
core::Failure agreed_failure(const std::exception& error, const comm::Communicator& team);

}  // namespace ventral::pipeline
