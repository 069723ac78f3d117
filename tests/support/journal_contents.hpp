#pragma once
/// @file
/// All lines of a journal at once.

#include <string>
#include <vector>

#include "io/journal/read_journal.hpp"

namespace ventral::test {

struct JournalContents {
    std::vector<io::JournalLine> lines;
    std::vector<std::string> warnings;
};

inline JournalContents read_journal(const std::string& folder) {
    JournalContents contents;
    contents.warnings = io::for_each_line(
        folder, [&](const io::JournalLine& line) { contents.lines.push_back(line); });
    return contents;
}

}  // namespace ventral::test
