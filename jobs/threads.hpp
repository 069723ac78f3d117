#pragma once
/// @file
/// The option `--threads`.

#include <cstddef>
#include <optional>

#include <CLI/CLI.hpp>

namespace ventral::jobs {

void add_threads_option(CLI::App& app, std::optional<std::size_t>& threads);

/// What was asked for, else the cores that are available divided by the ranks on the node, at
/// least 1.
std::size_t worker_threads(const std::optional<std::size_t>& threads, std::size_t ranks_on_node);

}  // namespace ventral::jobs
