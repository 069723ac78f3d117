#include "pipeline/inputs/dataset_facts.hpp"

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/text/stimulus_csv.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/withheld.hpp"

namespace ventral::pipeline {
namespace {

void check_file(const benchmarks::DataFile& file, Hasher& hasher) {
    compare_checksum(file.path, "sha1", file.sha1, hasher.sha1(file.path));
}

/// With the hashes of all images.
FromContent key_of(const core::StimulusSet& stimuli, const benchmarks::StimulusRecord& record,
                   HashCache& known) {
    return known.of("stimuli 1 " + core::number_text(record.degrees()),
                    files_of_stimuli(record.csv.path, stimuli),
                    [&] { return stimuli_key(stimuli); });
}

void add_stimuli(DatasetFacts& facts, const benchmarks::DatasetRecord& dataset, HashCache& known) {
    with_stimuli(dataset, [&](const core::StimulusSet& stimuli) {
        if (const auto warning = io::degrees_warning(dataset.stimuli.csv.path,
                                                     dataset.stimuli.visual_degrees, stimuli))
            core::log_warning_once(*warning);
        const auto key = key_of(stimuli, dataset.stimuli, known);
        facts.stimuli_key = key.text;
        facts.stimuli_table = dataset.stimuli.csv.path;
        facts.stimuli_state = key.state;
        facts.stimuli = stimuli.stimulus_ids.size();
    });
}

}  // namespace

DatasetFacts facts_of(const benchmarks::DatasetRecord& dataset, Hasher& hasher) {
    DatasetFacts facts;
    for (const auto& [role, file] : dataset.assemblies) {
        check_file(file, hasher);
        facts.assembly_keys[role] =
            assembly_key(file.variable, hasher.sha256(file.path), file.renamed);
    }
    if (dataset.stimuli.csv.path.empty()) return facts;
    check_file(dataset.stimuli.csv, hasher);
    // Its columns become coordinates of the recordings, by which benchmarks select and stratify.
    facts.assembly_keys["stimulus table"] = hasher.sha256(dataset.stimuli.csv.path);
    add_stimuli(facts, dataset, hasher.known());
    return facts;
}

core::StimulusSet read_stimuli(const benchmarks::DatasetRecord& dataset) {
    const auto& record = dataset.stimuli;
    io::StimulusSource source{dataset.identifier, record.csv.path, record.folder, record.degrees()};
    if (benchmarks::is_brainio_list(dataset.origin))
        source.folder_choice = "the archive in " + dataset.origin + ", to be unpacked,";
    return io::read_stimulus_set(source);
}

void with_stimuli(const benchmarks::DatasetRecord& dataset,
                  const std::function<void(const core::StimulusSet&)>& use) {
    try {
        use(read_stimuli(dataset));
    } catch (const core::InputError& error) {
        if (dataset.access == benchmarks::Access::open) throw;
        core::throw_again(error,
                          withheld(dataset.stimuli.csv.path + ": the stimulus set cannot be used"));
    }
}

std::vector<std::string> files_of_stimuli(const std::string& table,
                                          const core::StimulusSet& stimuli) {
    std::vector<std::string> files{table};
    files.insert(files.end(), stimuli.files.begin(), stimuli.files.end());
    return files;
}

}  // namespace ventral::pipeline
