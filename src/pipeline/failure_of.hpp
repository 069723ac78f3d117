#pragma once
/// @file
/// An exception as a failed unit's record tells it.

#include <exception>

#include "core/errors.hpp"

namespace ventral::pipeline {

/// Of a `comm::CollectiveError` the class and reason that the failed rank had, without its number:
/// the same for any number of ranks.
core::Failure failure_of(const std::exception& error);

}  // namespace ventral::pipeline
