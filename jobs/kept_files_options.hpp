#pragma once
/// @file
/// The options that say which files of a run stay for later ones, of the run and of its plan.

#include <string>

#include <CLI/CLI.hpp>

#include "pipeline/schedule/kept_files.hpp"

namespace ventral::jobs {

struct KeptFilesArguments {
    std::string activations = "keep";
    std::string activations_budget;
    std::string grams = "keep";
    int compression = 0;
};

/// --activations, --activations-budget, --activations-compress and --grams.
void add_kept_files_options(CLI::App& app, KeptFilesArguments& arguments);

/// Throws `core::InputError` that names the option if it is wrong.
pipeline::KeptFiles kept_files(const KeptFilesArguments& arguments);

}  // namespace ventral::jobs
