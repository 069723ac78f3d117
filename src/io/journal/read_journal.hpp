#pragma once
/// @file
/// Reads the journals that `journal.hpp` writes.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/score.hpp"

namespace ventral::io {

/// The JSON text of a line without its line feed; nothing if the line is damaged.
std::optional<std::string_view> json_of(std::string_view line);

struct JournalLine {
    std::string json;
    std::string segment;   ///< name of the file
    std::size_t line = 0;  ///< counted from 1
};

using TakeLine = std::function<void(const JournalLine&)>;
/// Gives every line of a journal, in its order, to who takes them.
using JournalSource = std::function<void(const TakeLine& take)>;

/// The kind of a line, and its key, from its JSON text by the way all of them begin, which costs no
/// reading of JSON: {"kind":"folds","key":"…". Empty if it begins otherwise.
std::string_view kind_of(std::string_view json);
std::string_view key_of(std::string_view json);

/// Gives every valid line of every segment to `take`, segments sorted by name: a journal of many
/// nights is larger than a rank's memory. Returns warnings for people, "file:line: what is wrong".
/// A last line without its line feed, which a crash has torn, is left out without a warning; the
/// other bad lines of a segment, or one that is no file, are a warning. Other files are ignored; a
/// folder that does not exist is an empty journal. Throws `InputError` if the folder cannot be
/// listed or a segment may not be read, `TransientError` if that cannot be done now, and what
/// `take` throws.
std::vector<std::string> for_each_line(const std::string& folder, const TakeLine& take);
/// The same for somebody else to call, without warnings.
JournalSource lines_of(const std::string& folder);

/// Sizes of the segments in `folder` by name; what cannot be looked at is none.
std::map<std::string, std::uint64_t> segment_sizes(const std::string& folder);

/// Reads arrays of journals. Files that it has read stay open, 64 of them at most.
class JournalArrays {
public:
    /// The array at `place`, whose file is a plain name in `folder`, or nothing if the file is
    /// absent or too short or the CRC differs.
    std::optional<std::vector<double>> read(const std::string& folder,
                                            const core::ArrayPlace& place);

private:
    std::ifstream& file(const std::string& path);

    std::map<std::string, std::ifstream> open_;
};

}  // namespace ventral::io
