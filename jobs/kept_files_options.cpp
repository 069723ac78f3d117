#include "kept_files_options.hpp"

#include "compression.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::jobs {
namespace {

pipeline::Keep keep(const std::string& choice) {
    return choice == "keep" ? pipeline::Keep::keep : pipeline::Keep::discard;
}

}  // namespace

void add_kept_files_options(CLI::App& app, KeptFilesArguments& arguments) {
    app.add_option("--activations", arguments.activations,
                   "keep (the default) or discard activation files, also those that earlier runs "
                   "have kept of the same models and stimuli")
        ->check(CLI::IsMember({"keep", "discard"}));
    app.add_option(
        "--activations-budget", arguments.activations_budget,
        "how much disk the kept activation files and projections may take, for example "
        "200GiB: between units the least recently used ones go, also those of networks and "
        "stimuli that are no more (default: no limit)");
    add_compression_option(app, arguments.compression);
    app.add_option("--grams", arguments.grams, "keep (the default) or discard Gram checkpoints")
        ->check(CLI::IsMember({"keep", "discard"}));
}

pipeline::KeptFiles kept_files(const KeptFilesArguments& arguments) {
    pipeline::KeptFiles kept;
    kept.activations = keep(arguments.activations);
    if (!arguments.activations_budget.empty())
        kept.activations_budget = core::naming("--activations-budget", [&] {
            return core::parse_bytes(arguments.activations_budget);
        });
    kept.compression = arguments.compression;
    kept.grams = keep(arguments.grams);
    return kept;
}

}  // namespace ventral::jobs
