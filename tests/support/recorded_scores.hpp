#pragma once
/// @file
/// What a run has written into its journal.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "io/journal/score_json.hpp"
#include "support/journal_contents.hpp"

namespace ventral::test {

inline std::vector<std::string> journal_lines(const std::string& out, const std::string& kind) {
    std::vector<std::string> lines;
    for (const auto& line : read_journal(out + "/journal").lines)
        if (line.json.find("\"kind\":\"" + kind + "\"") != std::string::npos)
            lines.push_back(line.json);
    return lines;
}

/// Every score and failure, sorted by layer and benchmark.
inline std::vector<core::ScoreRecord> recorded_scores(const std::string& out) {
    std::vector<core::ScoreRecord> records;
    for (const char* kind : {"score", "failed"})
        for (const auto& line : journal_lines(out, kind))
            records.push_back(io::score_record_from_json(line));
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
        return a.layer + " " + a.benchmark < b.layer + " " + b.benchmark;
    });
    return records;
}

/// Bits of all values of a run: normalised, raw, error, and every fold × neuroid value.
inline std::string score_bits(const std::string& out) {
    std::string bits;
    const auto add = [&](double value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        bits.append(bytes, sizeof value);
    };
    for (const auto& record : recorded_scores(out)) {
        bits += record.key;
        for (const auto& value : {record.value, record.raw_value, record.error})
            if (value) add(*value);
        if (!record.raw) continue;
        const auto raw = io::JournalArrays().read(out + "/journal", *record.raw);
        for (const double value : raw.value()) add(value);
    }
    return bits;
}

/// The names of the files in a folder.
inline std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

/// True if the bytes `text` occur in some file under `folder`.
inline bool occurs_under(const std::string& folder, const std::string& text) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ostringstream bytes;
        bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        if (bytes.str().find(text) != std::string::npos) return true;
    }
    return false;
}

/// Removes the lines of the journal for which `unwanted` is true, as if they had never been
/// written.
template <typename Condition>
void drop_journal_lines(const std::string& out, const Condition& unwanted) {
    for (const auto& name : files_in(out + "/journal")) {
        const auto path = out + "/journal/" + name;
        if (std::filesystem::path(path).extension() != ".journal") continue;
        std::ostringstream kept;
        {
            std::ifstream lines(path);
            for (std::string line; std::getline(lines, line);)
                if (!unwanted(line)) kept << line << "\n";
        }
        std::ofstream(path, std::ios::binary | std::ios::trunc) << kept.str();
    }
}

}  // namespace ventral::test
