#pragma once
/// @file
/// How to start this very program once more: "/proc/self/exe" is the loader where that was given
/// the program, as in "ld.so --library-path FOLDER ventral run …".

#include <string>
#include <vector>

namespace ventral::jobs {

/// Where to exec from, to go with `command_to_start`.
inline constexpr const char* own_executable = "/proc/self/exe";

/// `arguments`, whose first is the program's name, with what the loader has to be given before
/// them. May be called before any library is initialised.
std::vector<std::string> command_to_start(std::vector<std::string> arguments);

/// For exec: pointers to the words, and a null behind them.
std::vector<char*> pointers_to(std::vector<std::string>& words);

}  // namespace ventral::jobs
