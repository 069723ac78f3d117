#pragma once
/// @file
/// The option `--threads`.

#include <cstddef>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>

#include "comm/communicator.hpp"

namespace ventral::jobs {

void add_threads_option(CLI::App& app, std::optional<std::size_t>& threads);

/// What was asked for, else the cores that are available divided by `ranks`, at least 1 and at most
/// `stats::most_blas_threads`.
std::size_t worker_threads(const std::optional<std::size_t>& threads, std::size_t ranks);

/// The same for a process about to start them, which works for itself and other ranks of its node:
/// `threads` of each, or one on each core that is available.
std::size_t worker_threads_alone(const std::optional<std::size_t>& threads, std::size_t ranks);

/// The processors that any rank of the node is bound to. Collective over `node`.
std::vector<int> processors_of(comm::Communicator& node);

/// The same for the ranks of this node together: the processors that any of them is bound to,
/// divided by the ranks. Throws `core::InputError` if binding would put several workers of this
/// rank on one core although the machine has more (the message has the cure). Collective over
/// `node`.
std::size_t worker_threads(const std::optional<std::size_t>& threads, comm::Communicator& node);

/// The same on the nodes of `world`; what is impossible on one rank is thrown on all. Collective.
std::size_t agreed_worker_threads(const std::optional<std::size_t>& threads,
                                  comm::Communicator& world);

}  // namespace ventral::jobs
