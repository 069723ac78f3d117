#include <iostream>
#include <memory>

#include "config/metric_params.hpp"
#include "core/errors.hpp"
#include "exit_codes.hpp"
#include "io/netcdf_assembly.hpp"
#include "io/score_json.hpp"
#include "metrics/registered_metrics.hpp"
#include "metrics/score_assemblies.hpp"
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
    std::optional<std::string> layer, variable;
    std::optional<std::size_t> threads;
    bool json = false;
};

core::Assembly read_source(const MetricArguments& arguments, const std::string& path) {
    return io::read_assembly(path, {arguments.variable, arguments.layer});
}

void require(const std::vector<std::pair<const char*, const std::string*>>& options) {
    for (const auto& [name, value] : options)
        if (value->empty())
            throw core::InputError(std::string("ventral metric: this metric needs ") + name);
}

core::Score compute(const MetricArguments& arguments) {
    const auto options = config::metric_options(arguments.name, read_params(arguments.params));
    core::Workers workers(worker_threads(arguments.threads, 1));
    if (metrics::find_metric(options.name).form == metrics::MetricForm::train_test) {
        require({{"--source-train", &arguments.source_train},
                 {"--target-train", &arguments.target_train},
                 {"--source-test", &arguments.source_test},
                 {"--target-test", &arguments.target_test}});
        return metrics::score_train_test({read_source(arguments, arguments.source_train),
                                          io::read_assembly(arguments.target_train),
                                          read_source(arguments, arguments.source_test),
                                          io::read_assembly(arguments.target_test)},
                                         options, workers);
    }
    require({{"--source", &arguments.source}, {"--target", &arguments.target}});
    return metrics::score_assemblies(read_source(arguments, arguments.source),
                                     io::read_assembly(arguments.target), options, workers);
}

}  // namespace

Subcommand add_metric(CLI::App& app) {
    const auto arguments = std::make_shared<MetricArguments>();
    auto* sub = app.add_subcommand("metric", "one metric on two assemblies");
    sub->add_option("NAME", arguments->name, "registered name, for example pls_cv or ridge_split")
        ->required();
    sub->add_option("--source", arguments->source, "the model's features (netCDF)");
    sub->add_option("--target", arguments->target, "the recordings (netCDF)");
    sub->add_option("--source-train", arguments->source_train, "features to fit on (…_split)");
    sub->add_option("--target-train", arguments->target_train, "recordings to fit on (…_split)");
    sub->add_option("--source-test", arguments->source_test, "features to predict from (…_split)");
    sub->add_option("--target-test", arguments->target_test, "recordings to predict (…_split)");
    sub->add_option("--params", arguments->params, "the metric's parameters: JSON, or @FILE");
    sub->add_option("--layer", arguments->layer, "layer of an activations file given as source");
    sub->add_option("--variable", arguments->variable, "data variable of the source file");
    add_threads_option(*sub, arguments->threads);
    sub->add_flag("--json", arguments->json, "print one JSON object with all digits");
    return {sub, Ranks::first_only, [arguments](comm::Communicator&) {
                print_score(compute(*arguments), arguments->json);
                return exit_done;
            }};
}

}  // namespace ventral::jobs
