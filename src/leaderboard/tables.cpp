#include "leaderboard/tables.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/number_text.hpp"
#include "io/journal/score_json.hpp"

namespace ventral::leaderboard {
namespace {

std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == field.npos) return field;
    std::string text = "\"";
    for (const char character : field)
        text += character == '"' ? "\"\"" : std::string(1, character);
    return text + '"';
}

std::string number(const std::optional<double>& value) {
    return value ? core::number_text(*value) : "";
}

/// What one line says beside what a record's lines share.
struct Line {
    std::string slice;
    std::optional<double> value, error, raw_value, ceiling, ceiling_error;
};

std::string csv_line(const core::ScoreRecord& record, const Line& about) {
    std::string line;
    for (const auto& field :
         {record.model, record.benchmark, std::to_string(record.version), record.layer, about.slice,
          core::name_of(record.status), number(about.value), number(about.error),
          number(about.raw_value), number(about.ceiling), number(about.ceiling_error)})
        line += quoted(field) + ",";
    return line + quoted(record.key) + "\n";
}

std::string csv_lines(const core::ScoreRecord& record) {
    Line whole{"", record.value, record.error, record.raw_value, {}, {}};
    if (record.ceiling) {
        whole.ceiling = record.ceiling->value;
        whole.ceiling_error = record.ceiling->error;
    }
    std::string lines = csv_line(record, whole);
    for (const auto& slice : record.slices)
        lines += csv_line(record, {slice.name, slice.value, slice.error, slice.raw_value,
                                   slice.ceiling, slice.ceiling_error});
    return lines;
}

/// The record with the file of its raw values as seen from `out_folder`.
core::ScoreRecord seen_from(const std::filesystem::path& out_folder, const Night& night,
                            core::ScoreRecord record) {
    const auto folder = night.journal_of.find(record.key);
    if (record.raw && folder != night.journal_of.end())
        record.raw->file = std::filesystem::proximate(
                               std::filesystem::path(folder->second) / record.raw->file, out_folder)
                               .generic_string();
    return record;
}

}  // namespace

std::string scores_csv(const Night& night) {
    std::string text =
        "model,benchmark,version,layer,slice,status,value,error,raw_value,ceiling,ceiling_error,"
        "key\n";
    for (const auto i : order_of(night.records)) text += csv_lines(night.records[i]);
    return text;
}

std::string scores_json(const Night& night, const std::string& out_folder) {
    const auto order = order_of(night.records);
    const auto line = [&](std::size_t place) {
        return (place == 0 ? "[\n" : ",\n") +
               io::to_json(seen_from(out_folder, night, night.records[order[place]]));
    };
    // A text that grows as it comes takes up to three times its memory.
    std::size_t size = 0;
    for (std::size_t place = 0; place < order.size(); ++place) size += line(place).size();
    std::string text;
    text.reserve(size + 3);
    for (std::size_t place = 0; place < order.size(); ++place) text += line(place);
    return text.empty() ? "[]\n" : text + "\n]\n";
}

}  // namespace ventral::leaderboard
