#include "config/dataset_file.hpp"

#include "config/file_value.hpp"
#include "config/identifier.hpp"
#include "config/table.hpp"

namespace ventral::config {
namespace {

benchmarks::StimulusRecord read_stimuli(Table table, const std::string& toml_file,
                                        const ConfigPlaces& places) {
    benchmarks::StimulusRecord stimuli;
    stimuli.csv.path = resolve(table.need("csv").text(), toml_file, places);
    if (const auto digest = table.find("sha1"))
        stimuli.csv.sha1 = read_checksum(*digest, Checksum::sha1);
    stimuli.folder = resolve(table.need("folder").text(), toml_file, places);
    if (const auto degrees = table.find("visual_degrees"))
        stimuli.visual_degrees = degrees->positive_number();
    table.finish();
    return stimuli;
}

std::map<std::string, benchmarks::DataFile> read_assemblies(Table table,
                                                            const std::string& toml_file,
                                                            const ConfigPlaces& places) {
    std::map<std::string, benchmarks::DataFile> assemblies;
    for (const char* role : {"target", "repetitions"}) {
        const auto value = table.find(role);
        if (!value) continue;
        auto file = read_file_value(*value, Checksum::sha1, toml_file, places);
        assemblies[role] = {file.path, file.checksum, file.variable, file.renamed};
    }
    table.finish();
    if (assemblies.empty()) table.fail("no assembly (give target or repetitions)");
    return assemblies;
}

}  // namespace

DatasetEntry read_dataset_file(const std::string& path, const ConfigPlaces& places) {
    const auto contents = parse_toml(path);
    Table table(path, contents);
    DatasetEntry entry;
    auto& record = entry.record;
    record.origin = path;
    const auto identifier = table.need("identifier");
    record.identifier = read_identifier(identifier);
    entry.place = identifier.place();
    if (const auto stimuli = table.find("stimuli"))
        record.stimuli = read_stimuli(stimuli->table(), path, places);
    if (const auto access = table.find("access"))
        record.access = access->choice({"public", "private"}) == "private"
                            ? benchmarks::Access::restricted
                            : benchmarks::Access::open;
    // Images alone are a dataset too, for what a model is fitted on.
    if (const auto assemblies = table.find("assemblies"))
        record.assemblies = read_assemblies(assemblies->table(), path, places);
    else if (record.stimuli.csv.path.empty())
        table.need("assemblies");
    table.finish();
    return entry;
}

}  // namespace ventral::config
