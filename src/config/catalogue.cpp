#include "config/catalogue.hpp"

#include <filesystem>
#include <utility>

#include "config/benchmark_file.hpp"
#include "config/dataset_file.hpp"
#include "config/model_file.hpp"
#include "config/table.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "io/input_file.hpp"

namespace ventral::config {
namespace {

std::vector<std::string> record_files(const std::string& folder, const std::string& kind) {
    return toml_files((std::filesystem::path(folder) / kind).string());
}

/// Records of one kind, and where each was defined. What two places define is none.
template <typename Record>
struct Definitions {
    std::string kind;
    std::map<std::string, Record> records = {};
    std::map<std::string, std::string> places = {};

    /// Throws `InputError` if it is defined elsewhere too.
    void add(Record record, const std::string& place) {
        const auto identifier = record.identifier;
        const auto [first, is_new] = places.emplace(identifier, place);
        if (is_new) {
            records.emplace(identifier, std::move(record));
            return;
        }
        records.erase(identifier);
        throw core::InputError(place + ": " + kind + " '" + identifier +
                               "' is defined twice (also at " + first->second + ")");
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

ModelEntry model_in(const std::string& file, const ConfigPlaces& places, const Datasets& datasets) {
    auto entry = read_model_file(file, places);
    if (entry.record.pca) check_pca(entry, datasets);
    return entry;
}

/// What a file that is wrong calls its model.
std::string name_of_wrong(const std::string& file) {
    try {
        io::require_regular_file(file);
        const auto contents = parse_toml(file);
        if (const auto name = contents["identifier"].value<std::string>()) return *name;
    } catch (const core::InputError&) {
    }
    return std::filesystem::path(file).stem().string();
}

models::ModelRecord wrong_model(const std::string& file, const std::string& problem) {
    models::ModelRecord model;
    model.identifier = name_of_wrong(file);
    model.origin = file;
    model.problem = problem;
    return model;
}

std::vector<BenchmarkEntry> benchmarks_in(const std::string& file, const Datasets& datasets) {
    auto entries = read_benchmark_file(file);
    for (const auto& entry : entries) check_dataset(entry, datasets);
    return entries;
}

}  // namespace

Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places) {
    std::vector<std::string> left_out;
    const auto is_right = [&](const std::string& file, const auto& add) {
        try {
            io::require_regular_file(file);  // a pipe would be waited for
            add();
            return true;
        } catch (const core::TransientError&) {
            throw;
        } catch (const core::InputError& error) {
            left_out.emplace_back(error.what());
            return false;
        }
    };
    Definitions<benchmarks::DatasetRecord> datasets{"dataset"};
    for (const auto& file : record_files(folder, "datasets"))
        is_right(file, [&] {
            auto entry = read_dataset_file(file, places);
            datasets.add(std::move(entry.record), entry.place);
        });
    Definitions<models::ModelRecord> models{"model"};
    std::map<std::string, models::ModelRecord> wrong_models;
    for (const auto& file : record_files(folder, "models")) {
        if (is_right(file, [&] {
                auto entry = model_in(file, places, datasets.records);
                models.add(std::move(entry.record), entry.place);
            }))
            continue;
        auto wrong = wrong_model(file, left_out.back());
        wrong_models.try_emplace(wrong.identifier, std::move(wrong));
    }
    Definitions<benchmarks::BenchmarkRecord> benchmarks{"benchmark"};
    for (const auto& file : record_files(folder, "benchmarks")) {
        std::vector<BenchmarkEntry> entries;
        is_right(file, [&] { entries = benchmarks_in(file, datasets.records); });
        for (auto& entry : entries)
            is_right(file, [&] { benchmarks.add(std::move(entry.record), entry.place); });
    }
    return {std::move(models.records), std::move(benchmarks.records), std::move(datasets.records),
            std::move(left_out), std::move(wrong_models)};
}

std::string left_out_text(const std::vector<std::string>& left_out) {
    return left_out.empty() ? "" : "; left out, since wrong: " + core::joined(left_out, "; ");
}

void log_left_out(const std::vector<std::string>& left_out) {
    for (const auto& why : left_out) core::log_warning("left out, since wrong: " + why);
}

}  // namespace ventral::config
