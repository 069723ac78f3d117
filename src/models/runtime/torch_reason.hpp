#pragma once
/// @file
/// What libtorch says of a failure.

#include <exception>
#include <string>

namespace ventral::models {

/// The reason in an exception that libtorch threw, as one line (`torch_message`), without the
/// places in its code.
std::string torch_reason(const std::exception& error);

}  // namespace ventral::models
