#pragma once
/// @file
/// Where the reference's goldens and the real data lie, on machines that have them.

#include <optional>
#include <string>

namespace ventral::test {

/// The path of `relative` inside the folder that VENTRAL_SHARED names, or nothing if the variable
/// is unset or there is no such file; then the test is to say so with WARN and return.
std::optional<std::string> shared_path(const std::string& relative);

/// Whether any path was not there: the program of the tests then ends with `skipped_code`, by which
/// ctest says "Skipped" rather than "Passed".
bool shared_path_was_missing();
inline constexpr int skipped_code = 77;

}  // namespace ventral::test
