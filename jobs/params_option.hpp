#pragma once
/// @file
/// Parameters given on the command line or in a file.

#include <string>

namespace ventral::jobs {

/// `params`, the value of `option`, or the contents of FILE for "@FILE". Throws `core::InputError`.
std::string read_params(const std::string& params, const std::string& option = "--params");

/// Where parameters stand, for messages: `option`, or FILE for "@FILE".
std::string params_place(const std::string& params, const std::string& option = "--params");

}  // namespace ventral::jobs
