#pragma once
/// @file
/// The form of a subcommand of `ventral`, and the list of them.

#include <functional>

#include <CLI/CLI.hpp>

#include "comm/communicator.hpp"

namespace ventral::jobs {

/// Who works when several ranks run the program.
enum class Ranks { first_only, all };

struct Subcommand {
    CLI::App* app = nullptr;
    Ranks ranks = Ranks::first_only;
    /// Does the work and returns the exit code. With `Ranks::all` it is collective.
    std::function<int(comm::Communicator& world)> run;
};

/// One function per subcommand: declares its options on `app`. What it returns owns the values that
/// the options are read into.
Subcommand add_ceiling(CLI::App& app);
Subcommand add_check(CLI::App& app);
Subcommand add_demo(CLI::App& app);
Subcommand add_extract(CLI::App& app);
Subcommand add_layers(CLI::App& app);
Subcommand add_list(CLI::App& app);
Subcommand add_metric(CLI::App& app);
Subcommand add_plan(CLI::App& app);
Subcommand add_readout(CLI::App& app);
Subcommand add_report(CLI::App& app);
Subcommand add_run(CLI::App& app);
Subcommand add_select_layers(CLI::App& app);
Subcommand add_verify(CLI::App& app);

}  // namespace ventral::jobs
