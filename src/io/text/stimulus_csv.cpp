#include "io/text/stimulus_csv.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "core/trimmed.hpp"
#include "io/input_file.hpp"
#include "io/text/csv.hpp"

namespace ventral::io {
namespace {

/// Of columns of widths; the first one that is there counts.
std::vector<std::string> degrees_names() { return {"visual_degrees", "degrees"}; }

[[noreturn]] void fail(const std::string& path, std::size_t line, const std::string& problem) {
    throw core::InputError(path + ":" + std::to_string(line) + ": " + problem);
}

std::optional<std::size_t> find_column(const CsvTable& table,
                                       const std::vector<std::string>& accepted) {
    for (const auto& name : accepted) {
        const auto found = std::find(table.names.begin(), table.names.end(), name);
        if (found != table.names.end()) {
            return static_cast<std::size_t>(found - table.names.begin());
        }
    }
    return std::nullopt;
}

std::size_t required_column(const std::string& path, const CsvTable& table,
                            const std::vector<std::string>& accepted) {
    if (const auto column = find_column(table, accepted)) return *column;
    const auto names = core::joined(table.names);
    for (const auto& name : table.names)
        if (const auto plain = core::trimmed(name);
            std::find(accepted.begin(), accepted.end(), plain) != accepted.end())
            fail(path, 1, "the column '" + name + "' has blanks around its name, take them away");
    fail(path, 1,
         "no column '" + accepted[0] + "' (nor '" + accepted[1] + "'); its columns are " + names +
             separator_hint(names));
}

std::vector<std::string> column_texts(const CsvTable& table, std::size_t column) {
    std::vector<std::string> texts;
    for (const auto& row : table.rows) texts.push_back(row.fields[column]);
    return texts;
}

std::optional<core::Values> as_integers(const std::vector<std::string>& texts) {
    std::vector<std::int64_t> integers;
    for (const auto& text : texts) {
        const auto integer = core::parse_integer(text);
        if (!integer) return std::nullopt;
        integers.push_back(*integer);
    }
    return integers;
}

std::optional<core::Values> as_numbers(const std::vector<std::string>& texts) {
    const auto is_empty = [](const std::string& text) { return text.empty(); };
    if (std::all_of(texts.begin(), texts.end(), is_empty)) return std::nullopt;
    std::vector<double> numbers;
    for (const auto& text : texts) {
        const auto number =
            text.empty() ? std::numeric_limits<double>::quiet_NaN() : core::parse_number(text);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

core::Values typed(std::vector<std::string> texts) {
    if (auto integers = as_integers(texts)) return std::move(*integers);
    if (auto numbers = as_numbers(texts)) return std::move(*numbers);
    return texts;
}

void check_unique(const std::string& path, const CsvTable& table, std::size_t id_column) {
    std::map<std::string, std::size_t> lines;
    for (const auto& row : table.rows) {
        const auto& id = row.fields[id_column];
        if (id.empty()) fail(path, row.line, "the stimulus has no id");
        const auto [earlier, is_new] = lines.emplace(id, row.line);
        if (!is_new) {
            fail(path, row.line,
                 "the stimulus id '" + id + "' stands in line " + std::to_string(earlier->second) +
                     " already");
        }
    }
}

std::vector<double> read_degrees(const StimulusSource& source, const CsvTable& table) {
    const auto column = find_column(table, degrees_names());
    if (!column) return std::vector<double>(table.rows.size(), source.visual_degrees);
    std::vector<double> degrees;
    for (const auto& row : table.rows) {
        const auto number = core::parse_number(row.fields[*column]);
        if (!number || !(*number > 0) || *number > 360) {
            fail(source.csv, row.line,
                 "'" + row.fields[*column] + "' is no width in degrees of visual angle");
        }
        degrees.push_back(*number);
    }
    return degrees;
}

std::vector<std::string> find_images(const StimulusSource& source, const CsvTable& table,
                                     std::size_t file_column) {
    std::vector<std::string> files;
    std::size_t missing_count = 0;
    std::string first_missing;
    for (const auto& row : table.rows) {
        const auto& name = row.fields[file_column];
        if (name.empty()) fail(source.csv, row.line, "the stimulus has no file name");
        const auto path = std::filesystem::path(source.folder) / name;
        files.push_back(path.string());
        std::error_code unreadable;
        if (std::filesystem::is_regular_file(path, unreadable)) continue;
        if (missing_count++ == 0) {
            first_missing = source.csv + ":" + std::to_string(row.line) + ": no image file '" +
                            path.string() + "'";
        }
    }
    if (missing_count == 0) return files;
    throw core::InputError(first_missing + " (" + std::to_string(missing_count) + " of " +
                           std::to_string(files.size()) + " are missing; is the folder right? " +
                           source.folder_choice + " names it)");
}

}  // namespace

core::StimulusSet read_stimulus_set(const StimulusSource& source) {
    const auto table = parse_csv(source.csv, read_file(source.csv));
    const auto id_column = required_column(source.csv, table, {"stimulus_id", "image_id"});
    const auto file_column = required_column(source.csv, table, {"filename", "image_file_name"});
    if (table.rows.empty()) fail(source.csv, 1, "the table has a header and no stimuli");
    check_unique(source.csv, table, id_column);

    core::StimulusSet stimuli;
    stimuli.identifier = source.identifier;
    stimuli.stimulus_ids = column_texts(table, id_column);
    stimuli.visual_degrees = read_degrees(source, table);
    stimuli.files = find_images(source, table, file_column);
    for (std::size_t column = 0; column < table.names.size(); ++column) {
        if (column == id_column || table.names[column].empty()) continue;
        stimuli.columns.push_back({table.names[column], typed(column_texts(table, column))});
    }
    return stimuli;
}

std::optional<std::string> degrees_warning(const std::string& csv,
                                           std::optional<double> stated_degrees,
                                           const core::StimulusSet& stimuli) {
    const auto& widths = stimuli.visual_degrees;
    if (!stated_degrees || std::count(widths.begin(), widths.end(), *stated_degrees) ==
                               static_cast<std::ptrdiff_t>(widths.size()))
        return std::nullopt;
    for (const auto& name : degrees_names())
        for (const auto& column : stimuli.columns)
            if (column.name == name)
                return csv + ": its column '" + name + "' gives the images other widths than the " +
                       core::number_text(*stated_degrees) +
                       " visual degrees that are stated (the column counts) leave out one of them";
    return std::nullopt;
}

}  // namespace ventral::io
