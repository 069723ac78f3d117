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

void check_dataset(const BenchmarkEntry& benchmark,
                   const std::map<std::string, benchmarks::DatasetRecord>& datasets) {
    if (datasets.count(benchmark.record.dataset) > 0) return;
    std::vector<std::string> known;
    for (const auto& each : datasets) known.push_back(each.first);
    throw core::InputError(benchmark.dataset_place + ": " +
                           unknown_name("dataset", benchmark.record.dataset, known));
}

}  // namespace

Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places) {
    Definitions<models::ModelRecord> models{"model"};
    for (const auto& file : record_files(folder, "models")) {
        auto entry = read_model_file(file, places);
        models.add(std::move(entry.record), entry.place);
    }
    Definitions<benchmarks::DatasetRecord> datasets{"dataset"};
    for (const auto& file : record_files(folder, "datasets")) {
        auto entry = read_dataset_file(file, places);
        datasets.add(std::move(entry.record), entry.place);
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
