#include "config/brainio_lookup.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "config/file_value.hpp"
#include "config/identifier.hpp"
#include "config/table.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "io/input_file.hpp"
#include "io/text/csv.hpp"

namespace ventral::config {
namespace {

const std::string assembly_type = "assembly";
const std::string stimulus_set_type = "stimulus_set";

/// A row whose keys are asked for as those of a TOML file are; empty fields are not there.
class LookupRow {
public:
    LookupRow(const std::string& path, const std::vector<std::string>& names, const io::CsvRow& row)
        : place_(path + ":" + std::to_string(row.line)) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (!row.fields[i].empty()) fields_.insert(names[i], row.fields[i]);
    }

    const std::string& place() const { return place_; }
    Table table() const { return Table(place_, fields_); }
    std::string text(const std::string& key) const { return fields_[key].value_or(std::string()); }
    std::string identifier() const { return text("identifier"); }

    /// The last part of an address or a path.
    std::filesystem::path file() const {
        const auto location = table().need("location").text();
        return location.substr(location.find_last_of("/\\") + 1);
    }

    /// In lower case; empty if not stated.
    std::string sha1() const {
        auto fields = table();
        const auto digest = fields.find("sha1");
        return digest ? read_checksum(*digest, Checksum::sha1) : "";
    }

private:
    std::string place_;
    toml::table fields_;
};

/// The rows of a list, of either type in their order.
class Lookup {
public:
    Lookup(std::string path, const ConfigPlaces& places) : path_(std::move(path)), places_(places) {
        const auto table = io::parse_csv(path_, io::read_file(path_));
        for (const char* needed : {"identifier", "lookup_type", "location"})
            if (std::find(table.names.begin(), table.names.end(), needed) == table.names.end())
                throw core::InputError(path_ + ":1: no column '" + needed +
                                       "' (is it a lookup.csv of BrainIO?); its columns are " +
                                       core::joined(table.names) +
                                       io::separator_hint(core::joined(table.names)));
        for (const auto& each : table.rows) rows_.emplace_back(path_, table.names, each);
    }

    std::vector<LookupEntry> entries() const {
        std::vector<LookupEntry> entries;
        std::set<std::string> named;
        for (const auto& row : rows_) {
            const auto type = row.text("lookup_type");
            if (type == stimulus_set_type) continue;
            named.insert(row.identifier());
            entries.push_back(entry_of(row, [&](auto& record) {
                row.table().need("lookup_type").choice({assembly_type, stimulus_set_type});
                record.assemblies["repetitions"] = {path_of(row.file()), row.sha1()};
                record.stimuli =
                    stimuli(row.table().need("stimulus_set_identifier").text(), row.place());
            }));
        }
        for (const auto& row : rows_)
            if (row.text("lookup_type") == stimulus_set_type &&
                named.insert(row.identifier()).second)
                entries.push_back(entry_of(row, [&](auto& record) {
                    record.stimuli = stimuli(row.identifier(), row.place());
                }));
        return entries;
    }

private:
    template <typename Fill>
    LookupEntry entry_of(const LookupRow& row, const Fill& fill) const {
        LookupEntry entry;
        entry.place = row.place();
        auto& record = entry.record;
        record.origin = path_;
        record.identifier = row.identifier();
        if (record.identifier.ends_with(".private")) record.access = benchmarks::Access::restricted;
        try {
            read_identifier(row.table().need("identifier"));
            fill(record);
        } catch (const core::InputError& error) {
            entry.problem = error.what();
        }
        return entry;
    }

    /// A stimulus set has a row of its table and one of the archive of its images.
    benchmarks::StimulusRecord stimuli(const std::string& identifier,
                                       const std::string& place) const {
        benchmarks::StimulusRecord stimuli;
        for (const auto& row : rows_) {
            if (row.text("lookup_type") != stimulus_set_type || row.identifier() != identifier)
                continue;
            const auto file = row.file();
            const bool is_table = file.extension() == ".csv";
            const bool is_archive = file.extension() == ".zip";
            if ((is_table && !stimuli.csv.path.empty()) || (is_archive && !stimuli.folder.empty()))
                throw core::InputError(row.place() + ": stimulus set '" + identifier +
                                       "' has another row with a location that ends in " +
                                       file.extension().string());
            if (is_table) stimuli.csv = {path_of(file), row.sha1()};
            if (is_archive) stimuli.folder = path_of(file.stem());
        }
        if (stimuli.csv.path.empty())
            throw core::InputError(place + ": no row of stimulus set '" + identifier +
                                   "' has a table (a location that ends in .csv)");
        if (stimuli.folder.empty())
            throw core::InputError(place + ": no row of stimulus set '" + identifier +
                                   "' has images (a location that ends in .zip)");
        return stimuli;
    }

    std::string path_of(const std::filesystem::path& file) const {
        return resolve(file.string(), path_, places_);
    }

    std::string path_;
    const ConfigPlaces& places_;
    std::vector<LookupRow> rows_;
};

}  // namespace

std::vector<LookupEntry> read_brainio_lookup(const std::string& path, const ConfigPlaces& places) {
    return Lookup(path, places).entries();
}

}  // namespace ventral::config
