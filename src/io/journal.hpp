#pragma once
/// @file
/// The journal of a run: JSON objects, one a line, and large arrays beside them, appended by one
/// writer per segment and read by everybody. It knows nothing of what the objects mean.
///
/// A line is "LENGTH CRC JSON\n": the length of the JSON text in decimal, its CRC-32C in eight
/// hexadecimal digits, the text. A crash can damage only the end of a segment.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/score.hpp"

namespace ventral::io {

/// The journal cannot be written: disk full, device error. What `flush` returned from before stays
/// valid; what was appended since is still held, and another `flush` tries again.
class JournalError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A pair of files that this process alone appends to. Not safe for several threads at once.
class JournalSegment {
public:
    /// JOB.NONCE.journal and JOB.NONCE.raw in `folder`; neither they nor the folder are made before
    /// there is something to flush. Characters of `job_name` unfit for a file name become '_'.
    JournalSegment(const std::string& folder, const std::string& job_name);
    /// Does not flush: what is unflushed counts as never appended.
    ~JournalSegment();
    JournalSegment(const JournalSegment&) = delete;
    JournalSegment& operator=(const JournalSegment&) = delete;

    /// The path of both files without what follows JOB.NONCE.
    const std::string& stem() const { return stem_; }

    /// Both keep what they are given in memory until `flush`. The JSON text must be on one line.
    core::ArrayPlace append_array(std::span<const double> values);
    void append(std::string_view json);

    /// Returns once everything appended is on disk, arrays before the lines that mention them.
    /// Throws `JournalError`.
    void flush();

    using Clock = std::chrono::steady_clock;
    /// True if something is unflushed and one second has passed since the last flush (or since this
    /// was made), or 1 MiB has gathered: what took a second to compute is due at once.
    bool due(Clock::time_point now = Clock::now()) const;

private:
    class File;

    std::string stem_;
    std::unique_ptr<File> lines_;
    std::unique_ptr<File> arrays_;
    Clock::time_point last_flush_ = Clock::now();
};

/// The JSON text of a line without its line feed; nothing if the line is damaged.
std::optional<std::string_view> json_of(std::string_view line);

struct JournalLine {
    std::string json;
    std::string segment;   ///< name of the file
    std::size_t line = 0;  ///< counted from 1
};

/// The kind of a line, and its key, from its JSON text by the way all of them begin, which costs no
/// reading of JSON: {"kind":"folds","key":"…". Empty if it begins otherwise.
std::string_view kind_of(std::string_view json);
std::string_view key_of(std::string_view json);

struct JournalContents {
    std::vector<JournalLine> lines;
    std::vector<std::string> warnings;  ///< "file:line: what is wrong", for people
};

/// Every valid line of every segment, segments sorted by name. A last line without its line feed,
/// which a crash has torn, is left out without a warning; any other bad line, or a segment that is
/// no file, is a warning. Other files are ignored; a folder that does not exist is an empty
/// journal. Throws `InputError` if the folder cannot be listed or a segment may not be read, and
/// `TransientError` if that cannot be done now.
JournalContents read_journal(const std::string& folder);

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
