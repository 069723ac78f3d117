#pragma once
/// @file
/// What is wrong with a command line, in the program's words.

#include <string>

#include <CLI/CLI.hpp>

namespace ventral::jobs {

/// "not expected: --thread 2, did you mean '--threads'?" and where to read more; `app` is
/// the whole program, which has thrown `error` while it parsed.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ventral::jobs
