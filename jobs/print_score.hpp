#pragma once
/// @file
/// What `ventral metric` and `ventral ceiling` have in common: parameters in, a score out.

#include <string>

#include "core/score.hpp"

namespace ventral::jobs {

/// `params`, the value of `option`, or the contents of FILE for "@FILE". Throws `core::InputError`.
std::string read_params(const std::string& params, const std::string& option = "--params");

/// Where parameters stand, for messages: `option`, or FILE for "@FILE".
std::string params_place(const std::string& params, const std::string& option = "--params");

/// The score on stdout, as JSON or as a line for people; warnings on stderr.
void print_score(const core::Score& score, bool json);

}  // namespace ventral::jobs
