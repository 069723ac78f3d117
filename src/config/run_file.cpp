#include "config/run_file.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "config/catalogue.hpp"
#include "config/table.hpp"
#include "config/unknown_name.hpp"
#include "core/errors.hpp"

namespace ventral::config {
namespace {

bool is_wanted(const std::string& name, const std::vector<std::string>& wanted) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

/// Models or benchmarks, those that are wrong among them.
template <typename Record>
class NamedRecords {
public:
    NamedRecords(std::string kind, const std::map<std::string, Record>& records,
                 const WrongRecords& wrong, std::string folder)
        : kind_(std::move(kind)), records_(records), wrong_(wrong), folder_(std::move(folder)) {}

    /// Those that the run names, the wrong ones with their `problem`, which if they are wanted is
    /// no longer among what is left out. A name that nothing has is of a wrong file, if some does
    /// not say what it defines. Throws `InputError` if of those that are wanted none can be used.
    std::vector<Record> read(const Value& names, const std::vector<std::string>& wanted,
                             std::vector<std::string>& left_out) const {
        std::vector<Record> named;
        std::set<std::string> seen;
        for (const auto& value : names.list()) {
            const auto name = value.text();
            if (!seen.insert(name).second) value.fail(kind_ + " '" + name + "' is listed twice");
            if (auto record = find(value, is_wanted(name, wanted)))
                named.push_back(std::move(*record));
        }
        const Record* first_wrong = nullptr;
        bool has_usable = false;
        for (const auto& record : named) {
            if (!is_wanted(record.identifier, wanted)) continue;
            has_usable = has_usable || record.problem.empty();
            if (!first_wrong && !record.problem.empty()) first_wrong = &record;
        }
        if (first_wrong && !has_usable) throw core::InputError(first_wrong->problem);
        for (const auto& record : named)
            if (is_wanted(record.identifier, wanted)) std::erase(left_out, record.problem);
        return named;
    }

private:
    std::optional<Record> find(const Value& value, bool wanted) const {
        const auto name = value.text();
        if (const auto found = records_.find(name); found != records_.end()) return found->second;
        Record record;
        record.identifier = name;
        if (const auto found = wrong_.find(name); found != wrong_.end()) {
            record.origin = found->second.origin;
            record.problem = found->second.problem;
            return record;
        }
        if (!wanted) return std::nullopt;
        std::vector<std::string> known;
        for (const auto& each : records_) known.push_back(each.first);
        const auto problem = unknown_record(kind_, name, known, wrong_);
        if (!has_unnamed(wrong_))
            value.fail(known.empty() && wrong_.empty()
                           ? "unknown " + kind_ + " '" + name + "' (" + folder_ + "/" + kind_ +
                                 "s defines none; --configs names another folder)"
                           : problem);
        record.origin = value.place();
        record.problem = value.place() + ": " + problem;
        return record;
    }

    std::string kind_;
    const std::map<std::string, Record>& records_;
    const WrongRecords& wrong_;
    std::string folder_;
};

std::vector<LayerSet> read_layer_sets(const Value& value) {
    std::vector<LayerSet> sets;
    for (const auto& entry : value.list())
        sets.push_back(entry.is_list() ? entry.texts() : LayerSet{entry.text()});
    return sets;
}

/// `models`: all that the run file names.
void read_listed_layers(RunRecord& run, const std::vector<std::string>& models,
                        const Value& value) {
    run.layers = LayerChoice::listed;
    auto table = value.table();
    for (const auto& [model, layers] : table.entries())
        if (std::find(models.begin(), models.end(), model) == models.end())
            layers.fail(unknown_name("model of the run", model, models));
    for (const auto& model : run.models) {
        const auto layers = table.find(model.identifier);
        if (!layers)
            value.fail("no layers are listed for model '" + model.identifier +
                       "' (a table of layers has some of every model) add it");
        run.listed_layers[model.identifier] = read_layer_sets(*layers);
    }
}

void read_layer_choice(RunRecord& run, const std::vector<std::string>& models, const Value& value) {
    if (value.is_table()) return read_listed_layers(run, models, value);
    if (!value.is_text())
        value.fail_type("\"committed\", \"candidates\", \"all\" or a table of layers by model");
    const auto choice = value.choice({"committed", "candidates", "all"});
    run.layers = choice == "committed"    ? LayerChoice::committed
                 : choice == "candidates" ? LayerChoice::candidates
                                          : LayerChoice::all;
    if (run.layers != LayerChoice::candidates) return;
    for (const auto& model : run.models)
        // The layers of stored features are known only when their file is read.
        if (model.candidate_layers.empty() && !has_stored_features(model) && model.problem.empty())
            value.fail("model '" + model.identifier +
                       "' has no candidate layers (give 'layers' in " + model.origin + ")");
}

/// Every record of another kind has an identifier.
void refuse_other_records(const Table& table, const toml::table& contents) {
    if (contents.contains("models") || !contents.contains("identifier")) return;
    const bool is_benchmark = contents.contains("metric");
    const bool is_dataset = contents.contains("assemblies") || contents.contains("stimuli");
    table.fail(std::string("is the record of a ") +
               (is_benchmark ? "benchmark"
                : is_dataset ? "dataset"
                             : "model") +
               ", not a run file (a run file has the keys models and benchmarks)");
}

}  // namespace

RunRecord read_run(const std::string& path, const ConfigPlaces& places, const PartOfRun& wanted) {
    const auto contents = parse_toml(path);
    Table table(path, contents);
    refuse_other_records(table, contents);
    const auto folder = configs_folder(path, places);
    const auto catalogue = read_catalogue(folder, places);
    RunRecord run;
    run.left_out = catalogue.left_out;
    run.origin = path;
    std::error_code no_place;
    run.place = std::filesystem::weakly_canonical(path, no_place).string();
    run.data_folder = places.data_folder.value_or("");
    const auto models = table.need("models");
    run.models = NamedRecords("model", catalogue.models, catalogue.wrong_models, folder)
                     .read(models, wanted.models, run.left_out);
    run.benchmarks =
        NamedRecords("benchmark", catalogue.benchmarks, catalogue.wrong_benchmarks, folder)
            .read(table.need("benchmarks"), wanted.benchmarks, run.left_out);
    for (const auto& benchmark : run.benchmarks)
        if (benchmark.problem.empty())
            run.datasets[benchmark.dataset] = catalogue.datasets.at(benchmark.dataset);
    for (const auto& model : run.models)
        if (model.pca && !model.pca->dataset.empty())
            run.datasets[model.pca->dataset] = catalogue.datasets.at(model.pca->dataset);
    if (const auto layers = table.find("layers")) read_layer_choice(run, models.texts(), *layers);
    // numpy's RandomState takes 32 bits.
    if (const auto seed = table.find("seed"))
        run.seed = seed->integer(0, std::numeric_limits<std::uint32_t>::max());
    table.finish();
    return run;
}

}  // namespace ventral::config
