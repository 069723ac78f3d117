#include "leaderboard/written_tables.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/where_and_when.hpp"
#include "io/input_file.hpp"
#include "io/journal/score_json.hpp"
#include "io/out_folder.hpp"
#include "io/text/csv.hpp"
#include "leaderboard/record_facts.hpp"
#include "leaderboard/records.hpp"
#include "leaderboard/superseded.hpp"

namespace ventral::leaderboard {
namespace {

namespace fs = std::filesystem;

std::string file_in(const std::string& folder, const char* name) {
    return (fs::path(folder) / name).string();
}

/// The fields of one line by the names of the columns.
class CsvFields {
public:
    CsvFields(std::string path, const io::CsvTable& table, const io::CsvRow& row)
        : path_(std::move(path)), table_(table), row_(row) {}

    const std::string& text(const std::string& name) const {
        const auto found = std::find(table_.names.begin(), table_.names.end(), name);
        if (found == table_.names.end())
            throw core::InputError(path_ + ": has no column '" + name +
                                   "' (it is no scores.csv of ventral)");
        return row_.fields[static_cast<std::size_t>(found - table_.names.begin())];
    }

    std::optional<double> number(const std::string& name) const {
        const auto& field = text(name);
        if (field.empty()) return std::nullopt;
        if (const auto value = core::parse_number(field)) return value;
        throw refusal(name);
    }

    int version() const {
        const auto value = core::parse_integer(text("version"));
        if (!value || !std::in_range<int>(*value)) throw refusal("version");
        return static_cast<int>(*value);
    }

    core::ScoreStatus status() const {
        const auto value = core::score_status(text("status"));
        if (!value) throw refusal("status");
        return *value;
    }

private:
    core::InputError refusal(const std::string& name) const {
        return core::InputError(path_ + ":" + std::to_string(row_.line) + ": '" + text(name) +
                                "' is no " + name);
    }

    std::string path_;
    const io::CsvTable& table_;
    const io::CsvRow& row_;
};

core::ScoreRecord record_from(const CsvFields& fields) {
    core::ScoreRecord record;
    record.model = fields.text("model");
    record.benchmark = fields.text("benchmark");
    record.version = fields.version();
    record.layer = fields.text("layer");
    record.status = fields.status();
    record.value = fields.number("value");
    record.error = fields.number("error");
    record.raw_value = fields.number("raw_value");
    if (const auto ceiling = fields.number("ceiling"))
        record.ceiling = core::CeilingValue{*ceiling, fields.number("ceiling_error")};
    record.key = fields.text("key");
    return record;
}

std::vector<core::ScoreRecord> scores_from_csv(const std::string& folder) {
    const auto path = file_in(folder, "scores.csv");
    const auto table = io::parse_csv(path, io::read_file(path));
    std::vector<core::ScoreRecord> records;
    for (const auto& row : table.rows) {
        const CsvFields fields(path, table, row);
        auto record = record_from(fields);
        // The lines of slices have the key of the whole, which says as much of a change.
        if (fields.text("slice").empty()) records.push_back(std::move(record));
    }
    return records;
}

void for_each_in_json(const std::string& folder,
                      const std::function<void(core::ScoreRecord)>& take) {
    const auto path = file_in(folder, "scores.json");
    if (io::is_surely_absent(path))
        throw core::InputError(folder +
                               ": has no scores.json, which says what is current (`ventral run` "
                               "writes it at its end, unless it is killed) run it again, or leave "
                               "out --current for what the journal has");
    const auto text = io::read_file(path);
    try {
        io::for_each_score_record(text, take);
    } catch (const core::InputError& error) {
        throw core::InputError(path + ": is no scores.json of ventral (" + error.what() + ")");
    }
}

std::vector<core::ScoreRecord> scores_from_json(const std::string& folder) {
    std::vector<core::ScoreRecord> records;
    for_each_in_json(folder, [&](auto record) { records.push_back(std::move(record)); });
    return records;
}

core::ScoreRecord listed(const core::ScoreRecord& record) {
    auto light = as_pending(record);
    light.status = record.status;
    if (auto config = core::provenance_of(record, core::config_entry); !config.empty())
        light.provenance[core::config_entry] = std::move(config);
    return light;
}

}  // namespace

std::vector<core::ScoreRecord> current_scores(const std::string& folder) {
    std::vector<core::ScoreRecord> records;
    for_each_in_json(folder, [&](auto record) { records.push_back(listed(record)); });
    return records;
}

std::vector<core::ScoreRecord> listed_scores(const std::string& folder) {
    if (io::is_surely_absent(file_in(folder, "scores.json"))) return {};
    try {
        return current_scores(folder);
    } catch (const core::TransientError&) {
        throw;  // what is listed there must not pass for nothing
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) +
                          "; what is current is taken from scores.csv, without what is still to be "
                          "computed of other models and benchmarks than this run's");
    }
    try {
        return scores_from_csv(folder);
    } catch (const core::TransientError&) {
        throw;
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) +
                          "; of models and benchmarks that are not planned here the latest scores "
                          "are taken for current");
        return {};
    }
}

std::string time_of_tables(const std::string& folder) {
    std::error_code unknown;
    const auto time = fs::last_write_time(file_in(folder, "scores.json"), unknown);
    return unknown ? "" : core::time_text(std::chrono::file_clock::to_sys(time));
}

std::vector<core::ScoreRecord> earlier_scores(const std::string& folder) {
    if (io::is_there(file_in(folder, "scores.json"))) return scores_from_json(folder);
    if (io::is_there(file_in(folder, "scores.csv"))) return scores_from_csv(folder);
    std::error_code ignored;
    if (fs::is_regular_file(folder, ignored))
        throw core::InputError(folder +
                               ": is a file (the folder with the tables is wanted) leave "
                               "out its name");
    if (!fs::is_directory(io::journal_folder(folder), ignored))
        throw core::InputError(folder +
                               ": has no scores (no scores.json, scores.csv or journal) give the "
                               "--out of an earlier run or report");
    auto night = read_records(folder);
    drop_superseded(night.records);
    return night.records;
}

}  // namespace ventral::leaderboard
