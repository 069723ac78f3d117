#include "config/catalogue.hpp"

#include <filesystem>
#include <vector>

#include "config/benchmark_file.hpp"
#include "config/dataset_file.hpp"
#include "config/model_file.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"

namespace ventral::config {
namespace {

std::vector<std::string> record_files(const std::string& folder, const std::string& kind) {
    return toml_files((std::filesystem::path(folder) / kind).string());
}

/// Records of one kind, and where each was defined.
template <typename Record>
struct Definitions {
    std::string kind;
    std::map<std::string, Record> records = {};
    std::map<std::string, std::string> places = {};

    void add(Record record, const std::string& place) {
        const auto identifier = record.identifier;
        const auto [first, is_new] = places.emplace(identifier, place);
        if (!is_new)
            throw core::InputError(place + ": " + kind + " '" + identifier +
                                   "' is defined twice (also at " + first->second + ")");
        records.emplace(identifier, std::move(record));
    }
};

using Datasets = std::map<std::string, benchmarks::DatasetRecord>;

/// The dataset that is named at `place`.
const benchmarks::DatasetRecord& dataset_at(const std::string& place, const std::string& name,
                                            const Datasets& datasets) {
    const auto found = datasets.find(name);
    if (found != datasets.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& each : datasets) known.push_back(each.first);
    throw core::InputError(place + ": " + unknown_name("dataset", name, known));
}

void check_dataset(const BenchmarkEntry& benchmark, const Datasets& datasets) {
    const auto& name = benchmark.record.dataset;
    if (dataset_at(benchmark.dataset_place, name, datasets).assemblies.empty())
        throw core::InputError(benchmark.dataset_place + ": dataset '" + name +
                               "' has no recordings (give it [assemblies])");
}

void check_pca(const ModelEntry& model, const Datasets& datasets) {
    const auto& name = model.record.pca->dataset;
    if (name.empty()) return;  // it is fitted on stored features
    if (dataset_at(model.pca_dataset_place, name, datasets).stimuli.csv.path.empty())
        throw core::InputError(model.pca_dataset_place + ": dataset '" + name +
                               "' has no stimuli (give it [stimuli])");
}

}  // namespace

Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places) {
    Definitions<benchmarks::DatasetRecord> datasets{"dataset"};
    for (const auto& file : record_files(folder, "datasets")) {
        auto entry = read_dataset_file(file, places);
        datasets.add(std::move(entry.record), entry.place);
    }
    Definitions<models::ModelRecord> models{"model"};
    for (const auto& file : record_files(folder, "models")) {
        auto entry = read_model_file(file, places);
        if (entry.record.pca) check_pca(entry, datasets.records);
        models.add(std::move(entry.record), entry.place);
    }
    Definitions<benchmarks::BenchmarkRecord> benchmarks{"benchmark"};
    for (const auto& file : record_files(folder, "benchmarks"))
        for (auto& entry : read_benchmark_file(file)) {
            check_dataset(entry, datasets.records);
            benchmarks.add(std::move(entry.record), entry.place);
        }
    return {std::move(models.records), std::move(benchmarks.records), std::move(datasets.records)};
}

}  // namespace ventral::config
