#include "run_file.hpp"

#include <cstdlib>
#include <filesystem>

#include "comm/from_first_rank.hpp"
#include "config/features_by_dataset.hpp"
#include "config/keep_only.hpp"
#include "config/run_file.hpp"
#include "config/settings.hpp"
#include "core/errors.hpp"
#include "core/trimmed.hpp"
#include "pipeline/inputs/record_archives.hpp"

namespace ventral::jobs {
namespace {

std::string checked_folder(const std::string& folder, const std::string& origin) {
    std::error_code ignored;
    const auto status = std::filesystem::status(folder, ignored);
    if (!std::filesystem::is_directory(status))
        throw core::InputError(
            folder +
            (std::filesystem::exists(status) ? ": is a file, not a folder" : ": no such folder") +
            " (from " + origin + ")");
    return folder;
}

/// "a, b" is a list of two names as well.
std::vector<std::string> trimmed_names(std::vector<std::string> names) {
    for (auto& name : names) name = std::string(core::trimmed(name));
    return names;
}

}  // namespace

void add_configs_option(CLI::App& app, std::string& folder, const std::string& without) {
    app.add_option("--configs", folder,
                   "folder with models/, benchmarks/ and datasets/ (default: " + without + ")");
}

void add_data_option(CLI::App& app, std::string& folder) {
    app.add_option("--data", folder,
                   "folder that data files are relative to (default: VENTRAL_DATA, else the TOML "
                   "that names them)");
}

void add_run_file_options(CLI::App& app, RunFileArguments& arguments) {
    // One word per occurrence of an option: a list would take CONFIG for one of its own.
    app.add_option("CONFIG", arguments.config, "the run file (TOML)")->required();
    add_configs_option(app, arguments.configs_folder, "beside CONFIG");
    add_data_option(app, arguments.data_folder);
    app.add_option("--models", arguments.models, "only these models of the run")
        ->option_text("A,B")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--benchmarks", arguments.benchmarks, "only these benchmarks of the run")
        ->option_text("A,B")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--set", arguments.settings,
                   "seed (part of the keys of scores: all are computed again), "
                   "normalisation, or metric.PARAMETER of every benchmark whose metric has it, for "
                   "example metric.splits=5; --set again for each further one")
        ->option_text("KEY=VALUE")
        ->allow_extra_args(false);
}

config::ConfigPlaces places_of(const RunFileArguments& arguments) {
    config::ConfigPlaces places;
    if (!arguments.configs_folder.empty()) places.configs_folder = arguments.configs_folder;
    const char* from_environment = std::getenv("VENTRAL_DATA");
    if (!arguments.data_folder.empty())
        places.data_folder = checked_folder(arguments.data_folder, "--data");
    else if (from_environment && *from_environment)
        places.data_folder = checked_folder(from_environment, "VENTRAL_DATA");
    return places;
}

config::RunRecord read_run_file(const RunFileArguments& arguments,
                                const std::function<void(config::RunRecord&)>& then) {
    const config::PartOfRun wanted = {trimmed_names(arguments.models),
                                      trimmed_names(arguments.benchmarks)};
    auto run = config::read_run(arguments.config, places_of(arguments), wanted);
    config::keep_only(run, wanted.models, wanted.benchmarks);
    config::apply_settings(run, arguments.settings);
    then(run);
    config::choose_features(run);
    return run;
}

config::RunRecord share_run_file(const RunFileArguments& arguments, comm::Communicator& world,
                                 const std::function<void(config::RunRecord&)>& then) {
    return comm::from_first_rank<config::RunRecord>(world,
                                                    [&] { return read_run_file(arguments, then); });
}

}  // namespace ventral::jobs
