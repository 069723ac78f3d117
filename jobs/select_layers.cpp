#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "config/catalogue.hpp"
#include "config/layer_sweep.hpp"
#include "config/regions_edit.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "exit_codes.hpp"
#include "io/disk/durable_file.hpp"
#include "io/input_file.hpp"
#include "leaderboard/layer_ranking.hpp"
#include "leaderboard/records.hpp"
#include "memory_limit.hpp"
#include "pipeline/run.hpp"
#include "pipeline/run_plan.hpp"
#include "pipeline/watch/crash_trace.hpp"
#include "pipeline/watch/stop.hpp"
#include "record_warnings.hpp"
#include "run_file.hpp"
#include "run_limits.hpp"
#include "run_setup.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

namespace fs = std::filesystem;

struct SelectArguments {
    RunFileArguments run_file;
    std::string out;
    std::string region;
    RunLimits limits;
    std::optional<std::size_t> threads;
    std::string folder;
    bool in_place = false;
    bool retry_failed = false;
};

bool writes(const SelectArguments& arguments) {
    return arguments.in_place || !arguments.folder.empty();
}

std::string target_of(const models::ModelRecord& model, const SelectArguments& arguments) {
    if (arguments.in_place) return model.origin;
    return (arguments.folder / fs::path(model.origin).filename()).string();
}

/// True if the text of `target` is that of the record but for the region's entry.
bool is_copy(const std::string& target, const models::ModelRecord& model,
             const std::string& region) {
    try {
        return config::with_region(target, region, {"layer"}) ==
               config::with_region(model.origin, region, {"layer"});
    } catch (const core::InputError&) {
        return false;
    }
}

[[noreturn]] void refuse_target(const std::string& target) {
    throw core::OutputError(target +
                            ": is there already with another text (nothing is overwritten) choose "
                            "another folder for --write, or --in-place for the records themselves");
}

/// Before hours of work: the records can be changed, and nothing but an earlier copy is in the way
/// of theirs.
void check_targets(const config::RunRecord& run, const SelectArguments& arguments) {
    if (!writes(arguments)) return;
    for (const auto& model : run.models) {
        if (!model.problem.empty()) continue;
        const auto target = target_of(model, arguments);
        config::with_region(model.origin, arguments.region, {"layer"});
        if (!arguments.in_place && fs::exists(target) && !is_copy(target, model, arguments.region))
            refuse_target(target);
    }
    std::error_code error;
    if (!arguments.in_place) fs::create_directories(arguments.folder, error);
    if (error)
        throw core::InputError(arguments.folder + ": cannot be made (" + error.message() + ")");
}

/// The file itself, also where a link leads to it, with the permissions that it has.
void rewrite(const std::string& path, const std::string& text) {
    std::error_code unknown;
    const auto file = fs::canonical(path, unknown);
    if (unknown) throw core::OutputError(path + ": cannot be written (" + unknown.message() + ")");
    const auto permissions = fs::status(file).permissions();
    io::write_file_durably(file.string(), text);
    fs::permissions(file, permissions, unknown);
}

void choose(const models::ModelRecord& model, const config::RunRecord& run,
            const leaderboard::LayerRanking& ranking, const SelectArguments& arguments) {
    for (const auto& reason : ranking.left_out)
        core::log_warning(model.identifier + ": left out of the choice: " + reason +
                          " (correct the model's `layers`, or those of the run; --retry-failed "
                          "once it can be scored)");
    const auto layers =
        config::layers_named(run, model.identifier, ranking.layers[ranking.best].layer);
    std::cout << leaderboard::layer_ranking_text(ranking) << "  "
              << config::region_entry(arguments.region, layers) << "\n";
    if (!writes(arguments)) return;
    const auto target = target_of(model, arguments);
    const auto text = config::with_region(model.origin, arguments.region, layers);
    if (arguments.in_place) {
        rewrite(target, text);
    } else if (fs::exists(target)) {
        if (io::read_file(target) != text) refuse_target(target);
        core::log_info("is there already: " + target);
        return;
    } else {
        io::write_file_durably(target, text);
    }
    core::log_info("written: " + target);
}

/// A model that no layer can be chosen for keeps its record, and the others get theirs.
int choose_all(const config::RunRecord& run, const pipeline::RunResult& result,
               const SelectArguments& arguments) {
    const auto night = leaderboard::read_records(arguments.out);
    const auto planned = pipeline::all_planned(run, *result.facts);
    int code = exit_done;
    std::set<std::string> chosen;
    for (const auto& model : run.models) {
        if (!chosen.insert(model.identifier).second) continue;  // features of another dataset
        try {
            const auto ranking = leaderboard::rank_layers(model.identifier, planned, night.records);
            choose(model, run, ranking, arguments);
            if (!ranking.left_out.empty() && code == exit_done) code = exit_some_failed;
        } catch (const core::OutputError& error) {
            core::log_error(error.what());
            code = exit_failed;
        } catch (const core::InputError& error) {
            core::log_error(error.what());
            if (code == exit_done) code = exit_some_failed;
        }
    }
    return code;
}

pipeline::RunOptions options_of(const SelectArguments& arguments, const config::RunRecord& run) {
    auto options = run_options(run, arguments.out);
    options.resume.retry_failed = arguments.retry_failed;
    set_limits(arguments.limits, options);
    return options;
}

int select_layers(const SelectArguments& arguments, comm::Communicator& world) {
    pipeline::listen_for_stop_signals(exit_interrupted);
    pipeline::report_crashes(world.rank());
    const auto run = share_run_file(arguments.run_file, world, [&](auto& record) {
        config::make_layer_sweep(record, arguments.region);
        check_targets(record, arguments);
    });
    pipeline::RunOptions options;
    comm::run_collectively(world, [&] { options = options_of(arguments, run); });
    if (world.rank() == 0) {
        config::log_left_out(run.left_out);
        warn_of_preprocessing(run);
    }
    core::Workers workers(agreed_worker_threads(arguments.threads, world));
    report_speed(workers, world);
    options.memory_bound = limit_memory(arguments.limits.memory, workers, world);
    const auto result = pipeline::run(run, options, world, workers);
    if (result.interrupted || result.open > 0) return tell_of_stop(result, world);
    return comm::from_first_rank<int>(world, [&] { return choose_all(run, result, arguments); });
}

}  // namespace

Subcommand add_select_layers(CLI::App& app) {
    const auto arguments = std::make_shared<SelectArguments>();
    auto* sub = app.add_subcommand(
        "select-layers",
        "score the candidate layers of models on a region's benchmarks, of which none may be "
        "private, and choose the best");
    add_run_file_options(*sub, arguments->run_file);
    sub->add_option("--out", arguments->out,
                    "folder of the run: scores that are there already are not computed again")
        ->required();
    sub->add_option("--region", arguments->region,
                    "the region to find a layer for; the mean over the run's benchmarks of this "
                    "region decides (a score whose raw value is negative counts as negative), of "
                    "equal layers the first")
        ->required();
    add_threads_option(*sub, arguments->threads);
    add_limit_options(*sub, arguments->limits);
    sub->add_flag("--retry-failed", arguments->retry_failed, "try failed scores again");
    auto* folder = sub->add_option(
        "--write", arguments->folder,
        "folder for copies of the models' records with the region's entry in [regions] changed; "
        "paths in them stay as they are; what is there already is not overwritten");
    sub->add_flag("--in-place", arguments->in_place, "change the models' records themselves")
        ->excludes(folder);
    return {sub, Ranks::all,
            [arguments](comm::Communicator& world) { return select_layers(*arguments, world); }};
}

}  // namespace ventral::jobs
