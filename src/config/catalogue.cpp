#include "config/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "benchmarks/neural.hpp"
#include "config/benchmark_file.hpp"
#include "config/brainio_lookup.hpp"
#include "config/dataset_file.hpp"
#include "config/model_file.hpp"
#include "config/table.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"
#include "core/known_names.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/trimmed.hpp"
#include "io/input_file.hpp"

namespace ventral::config {
namespace {

std::vector<std::string> record_files(const std::string& folder, const std::string& kind) {
    return toml_files((std::filesystem::path(folder) / kind).string());
}

/// The line of the identifier, of a file that is no TOML as a whole.
toml::table identifier_line(const std::string& file) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const auto text = core::trimmed(line);
        if (text.starts_with('[')) break;  // the top table ends
        if (!text.starts_with("identifier")) continue;
        try {
            if (auto contents = toml::parse(text); contents.contains("identifier")) return contents;
        } catch (const toml::parse_error&) {
        }
    }
    return {};
}

toml::table contents_of_wrong(const std::string& file) {
    try {
        io::require_regular_file(file);
    } catch (const core::InputError&) {
        return {};
    }
    try {
        return parse_toml(file);
    } catch (const core::InputError&) {
        return identifier_line(file);
    }
}

/// What a file that is wrong calls its record, if it says so.
std::optional<std::string> name_of_wrong(const std::string& file) {
    const auto contents = contents_of_wrong(file);
    const auto name = contents["identifier"].value<std::string>();
    // Of a family, or what no identifier can be: it may be meant for another.
    const bool is_name = name && name->find_first_of("{} \t\r\n") == std::string::npos;
    return is_name ? name : std::nullopt;
}

/// Records of one kind, where each was defined, and those that are left out. What two places
/// define is none.
template <typename Record>
struct Definitions {
    std::string kind;
    std::vector<std::string>& left_out;
    std::map<std::string, Record> records = {};
    std::map<std::string, std::string> places = {};
    WrongRecords wrong = {};

    /// `read` gives what `file` defines, as entries that have a record and the place of its
    /// identifier. What `check` throws for is left out.
    template <typename Read, typename Check>
    void add_file(const std::string& file, const Read& read, const Check& check) {
        decltype(read(file)) entries;
        if (const auto problem = problem_of([&] {
                io::require_regular_file(file);  // a pipe would be waited for
                entries = read(file);
            }))
            leave_out(name_of_wrong(file), file, *problem);
        for (auto& entry : entries) {
            const auto identifier = entry.record.identifier;
            if (const auto problem = problem_of([&] {
                    check(entry);
                    add(std::move(entry.record), entry.place);
                }))
                leave_out(identifier, file, *problem);
        }
    }

private:
    template <typename Work>
    static std::optional<std::string> problem_of(const Work& work) {
        try {
            work();
            return std::nullopt;
        } catch (const core::TransientError&) {
            throw;
        } catch (const core::InputError& error) {
            return error.what();
        }
    }

    void leave_out(const std::optional<std::string>& name, const std::string& file,
                   const std::string& problem) {
        left_out.push_back(problem);
        wrong.try_emplace(name.value_or(std::filesystem::path(file).stem().string()),
                          WrongRecord{file, problem, name.has_value()});
    }

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

using Datasets = Definitions<benchmarks::DatasetRecord>;

std::string unknown_dataset(const std::string& name, const Datasets& datasets) {
    std::vector<std::string> known;
    for (const auto& each : datasets.records) known.push_back(each.first);
    return unknown_record("dataset", name, known, datasets.wrong);
}

/// The dataset that is named at `place`.
const benchmarks::DatasetRecord& dataset_at(const std::string& place, const std::string& name,
                                            const Datasets& datasets) {
    const auto found = datasets.records.find(name);
    if (found != datasets.records.end()) return found->second;
    throw core::InputError(place + ": " + unknown_dataset(name, datasets));
}

void check_benchmark(const BenchmarkEntry& benchmark, const Datasets& datasets) {
    const auto& name = benchmark.record.dataset;
    if (dataset_at(benchmark.dataset_place, name, datasets).assemblies.empty())
        throw core::InputError(benchmark.dataset_place + ": dataset '" + name +
                               "' has no recordings (give it [assemblies])");
    benchmarks::check_supported(benchmark.record);
}

void check_model(const ModelEntry& model, const Datasets& datasets) {
    for (const auto& [dataset, place] : model.dataset_places) {
        // One that is wrong costs its own benchmarks alone.
        const bool is_wrong = datasets.wrong.contains(dataset) || has_unnamed(datasets.wrong);
        if (!is_wrong && !datasets.records.contains(dataset))
            throw core::InputError(place + ": " + unknown_dataset(dataset, datasets) +
                                   "; { file = … } would be that of all datasets");
    }
    if (!model.record.pca || model.record.pca->dataset.empty()) return;
    const auto& name = model.record.pca->dataset;
    if (dataset_at(model.pca_dataset_place, name, datasets).stimuli.csv.path.empty())
        throw core::InputError(model.pca_dataset_place + ": dataset '" + name +
                               "' has no stimuli (give it [stimuli])");
}

/// A record, also one that is wrong, stands for what the list says: it says more, as who may see
/// the data.
void add_lookup(const std::string& file, const ConfigPlaces& places, Datasets& datasets) {
    std::error_code failed;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, failed))) return;
    const auto read = [&](const std::string& path) {
        if (has_unnamed(datasets.wrong))
            throw core::InputError(path +
                                   ": some record of a dataset is wrong (it may be that of "
                                   "one in this list)");
        auto entries = read_brainio_lookup(path, places);
        std::erase_if(entries, [&](const auto& entry) {
            const auto& identifier = entry.record.identifier;
            return datasets.places.contains(identifier) || datasets.wrong.contains(identifier);
        });
        return entries;
    };
    datasets.add_file(file, read, [](const LookupEntry& entry) {
        if (!entry.problem.empty()) throw core::InputError(entry.problem);
    });
}

}  // namespace

Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places) {
    std::vector<std::string> left_out;
    Datasets datasets{"dataset", left_out};
    for (const auto& file : record_files(folder, "datasets"))
        datasets.add_file(
            file, [&](const auto& path) { return std::vector{read_dataset_file(path, places)}; },
            [](const auto&) {});
    add_lookup((std::filesystem::path(folder) / "datasets" / "lookup.csv").string(), places,
               datasets);
    Definitions<models::ModelRecord> models{"model", left_out};
    for (const auto& file : record_files(folder, "models"))
        models.add_file(
            file, [&](const auto& path) { return std::vector{read_model_file(path, places)}; },
            [&](const auto& model) { check_model(model, datasets); });
    Definitions<benchmarks::BenchmarkRecord> benchmarks{"benchmark", left_out};
    for (const auto& file : record_files(folder, "benchmarks"))
        benchmarks.add_file(file, read_benchmark_file,
                            [&](const auto& benchmark) { check_benchmark(benchmark, datasets); });
    return {std::move(models.records), std::move(benchmarks.records), std::move(datasets.records),
            std::move(left_out),       std::move(models.wrong),       std::move(benchmarks.wrong)};
}

bool has_unnamed(const WrongRecords& wrong) {
    return std::any_of(wrong.begin(), wrong.end(),
                       [](const auto& each) { return !each.second.is_named; });
}

std::string unknown_record(const std::string& kind, const std::string& name,
                           const std::vector<std::string>& known, const WrongRecords& wrong) {
    if (const auto found = wrong.find(name); found != wrong.end())
        return kind + " '" + name + "' is left out, since wrong: " + found->second.problem;
    if (!has_unnamed(wrong)) return unknown_name(kind, name, known);
    std::vector<std::string> problems;
    for (const auto& [file, record] : wrong)
        if (!record.is_named) problems.push_back(record.problem);
    const auto near = core::near_names(name, known);  // ", did you mean …?"
    return "unknown " + kind + " '" + name +
           "'; left out, since wrong: " + core::joined(problems, "; ") +
           (near.empty() ? "" : "; or" + near.substr(1));
}

void log_left_out(const std::vector<std::string>& left_out) {
    for (const auto& why : left_out) core::log_warning("left out, since wrong: " + why);
}

}  // namespace ventral::config
