#include <iostream>
#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "benchmarks/benchmark_record.hpp"
#include "config/catalogue.hpp"
#include "config/places.hpp"
#include "config/readout_params.hpp"
#include "core/add_once.hpp"
#include "core/trimmed.hpp"
#include "exit_codes.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/normalisation.hpp"
#include "metrics/registered_metrics.hpp"
#include "run_file.hpp"
#include "subcommand.hpp"

namespace ventral::jobs {
namespace {

struct ListArguments {
    std::string what;
    std::string configs = "configs";
    bool json = false;
};

std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const auto& metric : metrics::registered_metrics()) names.push_back(metric.name);
    return names;
}

std::vector<std::string> ceiling_names() {
    std::vector<std::string> names;
    for (const auto& ceiling : metrics::registered_ceilings()) names.push_back(ceiling.name);
    return names;
}

template <typename Records>
std::vector<std::string> identifiers(const Records& records) {
    std::vector<std::string> names;
    for (const auto& [name, record] : records) names.push_back(name);
    return names;
}

/// What users of the benchmarks cite, each once.
std::vector<std::string> bibtex_of(const std::map<std::string, benchmarks::BenchmarkRecord>& all) {
    std::vector<std::string> entries;
    for (const auto& [name, benchmark] : all) {
        const std::string entry(core::trimmed(benchmark.bibtex));
        if (!entry.empty()) core::add_once(entries, entry);
    }
    return entries;
}

std::vector<std::string> names_of(const ListArguments& arguments) {
    if (arguments.what == "metrics") return metric_names();
    if (arguments.what == "ceilings") return ceiling_names();
    if (arguments.what == "readouts") return config::readout_names();
    if (arguments.what == "normalisations") return metrics::normalisations();
    config::require_records(arguments.configs);
    RunFileArguments places;
    const auto catalogue = config::read_catalogue(arguments.configs, places_of(places));
    config::log_left_out(catalogue.left_out);
    if (arguments.what == "models") return identifiers(catalogue.models);
    if (arguments.what == "benchmarks") return identifiers(catalogue.benchmarks);
    if (arguments.what == "bibtex") return bibtex_of(catalogue.benchmarks);
    return identifiers(catalogue.datasets);
}

}  // namespace

Subcommand add_list(CLI::App& app) {
    const auto arguments = std::make_shared<ListArguments>();
    auto* sub = app.add_subcommand("list", "names of what there is, or what to cite");
    sub->add_option("WHAT", arguments->what, "bibtex: what to cite for the benchmarks")
        ->required()
        ->check(CLI::IsMember({"models", "benchmarks", "datasets", "metrics", "ceilings",
                               "normalisations", "readouts", "bibtex"}));
    add_configs_option(*sub, arguments->configs);
    sub->add_flag("--json", arguments->json, "print a JSON array");
    return {sub, Ranks::first_only, [arguments](comm::Communicator&) {
                const auto names = names_of(*arguments);
                if (arguments->json) {
                    std::cout << nlohmann::json(names).dump() << "\n";
                    return exit_done;
                }
                for (const auto& name : names) std::cout << name << "\n";
                return exit_done;
            }};
}

}  // namespace ventral::jobs
