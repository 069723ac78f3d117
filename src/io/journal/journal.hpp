#pragma once
/// @file
/// The journal of a run: JSON objects, one a line, and large arrays beside them, appended by one
/// writer per segment and read by everybody (`read_journal.hpp`). It knows nothing of what the
/// objects mean.
///
/// A line is "LENGTH CRC JSON\n": the length of the JSON text in decimal, its CRC-32C in eight
/// hexadecimal digits, the text. A crash can damage only the end of a segment.

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

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

}  // namespace ventral::io
