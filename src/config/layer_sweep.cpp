#include "config/layer_sweep.hpp"

#include <set>

#include "config/keep_only.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace ventral::config {

void make_layer_sweep(RunRecord& run, const std::string& region) {
    std::vector<std::string> wanted;
    std::set<std::string> regions;
    for (const auto& benchmark : run.benchmarks) {
        if (!benchmark.problem.empty()) throw core::InputError(benchmark.problem);
        regions.insert(benchmark.region);
        if (benchmark.region == region) wanted.push_back(benchmark.identifier);
    }
    if (wanted.empty())
        throw core::InputError(run.origin + ": --region: " +
                               unknown_name("region of the run's benchmarks", region,
                                            {regions.begin(), regions.end()}));
    keep_only(run, {}, wanted);
    for (const auto& benchmark : run.benchmarks)
        if (run.datasets.at(benchmark.dataset).access == benchmarks::Access::restricted)
            throw core::InputError(run.origin + ": benchmark '" + benchmark.identifier +
                                   "' may not choose layers (its recordings are private) leave it "
                                   "out with --benchmarks");
    if (run.layers != LayerChoice::committed) return;
    run.layers = LayerChoice::candidates;
    for (const auto& model : run.models)
        if (model.candidate_layers.empty() && !has_stored_features(model) && model.problem.empty())
            throw core::InputError(model.origin +
                                   ": the model has no candidate layers (give "
                                   "'layers')");
}

LayerSet layers_named(const RunRecord& run, const std::string& model, const std::string& name) {
    const auto listed = run.listed_layers.find(model);
    if (listed == run.listed_layers.end()) return {name};
    for (const auto& layers : listed->second)
        if (core::joined(layers, "+") == name) return layers;
    return {name};
}

}  // namespace ventral::config
