#pragma once
/// @file
/// How to start this program once more, or the one beside it that has networks: "/proc/self/exe" is
/// the loader where that was given the program, as in "ld.so --library-path FOLDER ventral run …".

#include <string>
#include <vector>

namespace ventral::jobs {

/// The program that can do what this one leaves to it (`models::has_networks`).
inline constexpr const char* networks_program = "ventral-networks";

struct StartCommand {
    std::string executable;          ///< for exec
    std::vector<std::string> words;  ///< the program's name, and what comes behind it
};

/// This very program with these arguments, whose first is its name. May be called before any
/// library is initialised.
StartCommand command_to_start(std::vector<std::string> arguments);

/// The same with `networks_program` from this program's folder.
StartCommand command_to_start_networks(std::vector<std::string> arguments);

/// For exec: pointers to the words, and a null behind them.
std::vector<char*> pointers_to(std::vector<std::string>& words);

}  // namespace ventral::jobs
