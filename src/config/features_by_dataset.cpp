#include "config/features_by_dataset.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace ventral::config {
namespace {

std::set<std::string> benchmarked_datasets(const RunRecord& run) {
    std::set<std::string> datasets;
    for (const auto& benchmark : run.benchmarks)
        if (benchmark.problem.empty()) datasets.insert(benchmark.dataset);
    return datasets;
}

}  // namespace

models::ModelRecord record_on(const models::ModelRecord& model, const std::string& dataset) {
    auto record = model;
    record.features_of.clear();
    record.dataset = dataset;
    if (const auto found = model.features_of.find(dataset); found != model.features_of.end()) {
        record.features = found->second;
        return record;
    }
    std::string others;
    for (const auto& each : model.features_of) core::add_part(others, each.first);
    record.problem = model.origin + ": 'features' has no file for dataset '" + dataset +
                     "' (it has those of " + others + ") add it";
    return record;
}

void choose_features(RunRecord& run) {
    const auto datasets = benchmarked_datasets(run);
    std::vector<models::ModelRecord> records;
    for (auto& model : run.models) {
        if (model.features_of.empty()) {
            records.push_back(std::move(model));
            continue;
        }
        for (const auto& dataset : datasets) records.push_back(record_on(model, dataset));
    }
    run.models = std::move(records);
}

}  // namespace ventral::config
