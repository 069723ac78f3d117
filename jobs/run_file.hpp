#pragma once
/// @file
/// The options that say which run is meant, shared by the subcommands that read a run file, and
/// those of them that others have too.

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "comm/communicator.hpp"
#include "config/places.hpp"
#include "config/run_record.hpp"

namespace ventral::jobs {

struct RunFileArguments {
    std::string config;
    std::string configs_folder;
    std::string data_folder;
    std::vector<std::string> models;
    std::vector<std::string> benchmarks;
    std::vector<std::string> settings;
};

/// --configs; its text says what is taken `without` it.
void add_configs_option(CLI::App& app, std::string& folder, const std::string& without = "configs");
/// --data.
void add_data_option(CLI::App& app, std::string& folder);
void add_run_file_options(CLI::App& app, RunFileArguments& arguments);

/// --configs and --data, or VENTRAL_DATA. Throws `core::InputError` if the data folder is none.
config::ConfigPlaces places_of(const RunFileArguments& arguments);

/// The run with the models and benchmarks that the command line leaves, and of these what `then`
/// makes of them. A model with a file of features for each dataset has a record for each.
config::RunRecord read_run_file(
    const RunFileArguments& arguments,
    const std::function<void(config::RunRecord&)>& then = [](auto&) {});

/// The same on every rank: the first reads it. Collective.
config::RunRecord share_run_file(
    const RunFileArguments& arguments, comm::Communicator& world,
    const std::function<void(config::RunRecord&)>& then = [](auto&) {});

}  // namespace ventral::jobs
