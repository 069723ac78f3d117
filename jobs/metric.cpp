#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap_option.hpp"
#include "config/metric_params.hpp"
#include "core/errors.hpp"
#include "core/seconds_since.hpp"
#include "core/text.hpp"
#include "exit_codes.hpp"
#include "feature_file.hpp"
#include "first_rank.hpp"
#include "metrics/registered_metrics.hpp"
#include "metrics/score_assemblies.hpp"
#include "node_memory.hpp"
#include "params_option.hpp"
#include "print_score.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

struct MetricArguments {
    std::string name;
    std::string source, target;
    std::string source_train, target_train, source_test, target_test;
    std::string params = "{}";
    std::optional<std::string> layer, variable, target_layer, target_variable;
    std::vector<std::string> bootstrap;
    std::optional<std::size_t> threads;
    std::string memory;
    bool json = false;
    bool timing = false;
};

io::AssemblyRequest request_of(const MetricArguments& arguments) {
    return {arguments.variable, arguments.layer};
}

io::AssemblyRequest target_request_of(const MetricArguments& arguments) {
    return {arguments.target_variable, arguments.target_layer, "--target-variable",
            "--target-layer"};
}

void require(const std::vector<std::pair<const char*, const std::string*>>& options) {
    std::vector<std::string> missing;
    for (const auto& [name, value] : options)
        if (value->empty()) missing.emplace_back(name);
    if (!missing.empty())
        throw core::InputError("ventral metric: this metric needs " + core::joined(missing));
}

metrics::TimedScore score_files(const MetricArguments& arguments,
                                const metrics::MetricOptions& options,
                                const metrics::Resources& resources) {
    const auto& metric = metrics::find_metric(options.name);
    // These need the source as a whole; all others read it as they go.
    const bool takes_whole = metric.reversed || metric.time != metrics::TimeForm::single;
    const auto request = request_of(arguments);
    const auto target_request = target_request_of(arguments);
    const auto open = [&](const std::string& path) {
        return open_features(path, request, resources.workers.threads());
    };
    if (metric.form == metrics::MetricForm::train_test) {
        require({{"--source-train", &arguments.source_train},
                 {"--target-train", &arguments.target_train},
                 {"--source-test", &arguments.source_test},
                 {"--target-test", &arguments.target_test}});
        auto target_train = read_recordings(arguments.target_train, target_request);
        auto target_test = read_recordings(arguments.target_test, target_request);
        if (takes_whole)
            return metrics::score_train_test(
                metrics::TrainTestRecordings{read_recordings(arguments.source_train, request),
                                             read_recordings(arguments.source_test, request),
                                             std::move(target_train), std::move(target_test)},
                options, resources);
        return metrics::score_train_test(
            metrics::TrainTestFeatures{open(arguments.source_train), open(arguments.source_test),
                                       std::move(target_train), std::move(target_test)},
            options, resources);
    }
    require({{"--source", &arguments.source}, {"--target", &arguments.target}});
    const auto target = read_recordings(arguments.target, target_request);
    if (takes_whole)
        return metrics::score_assemblies(read_recordings(arguments.source, request), target,
                                         options, resources);
    return metrics::score_features(open(arguments.source), target, options, resources);
}

/// What the computation did not take went into opening files and reading recordings.
void print_timing(const metrics::TimedScore& timed, double seconds) {
    const double read_s = seconds - timed.gram_s - timed.fit_s;
    std::fprintf(stderr, "timing: read %.3f s, gram %.3f s, fit %.3f s\n", read_s, timed.gram_s,
                 timed.fit_s);
}

void print_metric(const MetricArguments& arguments, std::size_t ranks) {
    metrics::find_metric(arguments.name);
    const auto options = core::naming(params_place(arguments.params), [&] {
        return config::metric_options(arguments.name, read_params(arguments.params));
    });
    const double memory_bytes = node_memory(arguments.memory, 1).bytes;
    core::Workers workers(worker_threads_alone(arguments.threads, ranks));
    const auto start = std::chrono::steady_clock::now();
    auto timed = score_files(arguments, options, {workers, memory_bytes});
    const double taken_s = core::seconds_since(start);
    add_bootstrap_error(arguments.bootstrap, timed.score);
    print_score(timed.score, format(arguments.json));
    if (arguments.timing) print_timing(timed, taken_s);
}

}  // namespace

Subcommand add_metric(CLI::App& app) {
    const auto arguments = std::make_shared<MetricArguments>();
    auto* sub = app.add_subcommand("metric",
                                   "one metric on two assemblies; under mpirun the first rank "
                                   "computes it with the threads of all "
                                   "ranks on its node");
    sub->add_option("NAME", arguments->name, "registered name, for example pls_cv or ridge_split")
        ->required();
    sub->add_option("--source", arguments->source,
                    "the model's features (netCDF, or a file of extract)");
    sub->add_option("--target", arguments->target,
                    "the recordings (netCDF), or another model's features");
    sub->add_option("--source-train", arguments->source_train, "features to fit on (…_split)");
    sub->add_option("--target-train", arguments->target_train, "recordings to fit on (…_split)");
    sub->add_option("--source-test", arguments->source_test, "features to predict from (…_split)");
    sub->add_option("--target-test", arguments->target_test, "recordings to predict (…_split)");
    sub->add_option("--params", arguments->params,
                    "the metric's parameters: JSON, or @FILE. Keys are Brain-Score's: "
                    "crossvalidation_kwargs (an object of splits, train_size, test_size, kfold, "
                    "split_coord, stratification_coord, unique_split_values, random_state), "
                    "regression_kwargs (of n_components, alpha, alphas), alphas, "
                    "upcast_to_float64");
    sub->add_option("--layer", arguments->layer, "layer of an activations file given as source");
    sub->add_option("--target-layer", arguments->target_layer,
                    "layer of an activations file given as target");
    sub->add_option("--variable", arguments->variable, "data variable of the source file");
    sub->add_option("--target-variable", arguments->target_variable,
                    "data variable of the target file");
    add_bootstrap_option(*sub, arguments->bootstrap);
    add_threads_option(*sub, arguments->threads);
    sub->add_option(
        "--memory", arguments->memory,
        "memory to compute in, for example 600MiB; features are read as they are needed "
        "(default: what cgroup, Slurm or the machine gives)");
    sub->add_flag("--timing", arguments->timing,
                  "say on stderr how long reading, the Gram and the fits took");
    sub->add_flag("--json", arguments->json, "print one JSON object with all digits");
    return {sub, Ranks::all, [arguments](comm::Communicator& world) {
                return on_first_rank(world, [&](std::size_t ranks) {
                    print_metric(*arguments, ranks);
                    return exit_done;
                });
            }};
}

}  // namespace ventral::jobs
