#pragma once
/// @file
/// Where the reference's goldens and the real data lie, on machines that have them.

#include <optional>
#include <string>

namespace ventral::test {

/// The path of `relative` inside the folder that VENTRAL_SHARED names, or nothing if the variable
/// is unset or there is no such file; then the test is to say so with WARN and return.
std::optional<std::string> shared_path(const std::string& relative);

/// Says of the program of the tests that something was left out, as `shared_path` does where there
/// is no such file: it then ends with `skipped_code`, by which ctest says "Skipped", not "Passed".
void skip();
bool is_skipped();
inline constexpr int skipped_code = 77;

}  // namespace ventral::test
