#pragma once
/// @file
/// What the ranks of a team leave behind when a signal ends them, so that the next start knows
/// which unit has ended its job and how: a small file beside the segment of the journal, with a
/// slot of its own for each rank, which goes when the run ends as it should.

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "comm/communicator.hpp"
#include "io/disk/descriptor.hpp"

namespace ventral::pipeline {

/// From now on a signal that a fault raises (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, and so
/// `std::terminate`) is told on stderr with rank and unit, and left in the trace if there is one,
/// before it ends the process. Call it after MPI has started: Open MPI's own handler comes second.
void report_crashes(int world_rank);

/// Into the slot of this process: that it was asked to stop, or that it ends for a reason that is
/// not the unit's. Both are safe in signal handlers and do nothing without a trace.
void leave_stopped();
void leave_excused();

/// Into the slot, and on stderr with rank and unit: that for as long as `where` says, "1800 s in
/// extract", nothing has moved. False if that is not on disk, or if the process ends for a reason
/// that was left before. Allocates nothing: a thread that is stuck may hold the lock of the heap.
bool leave_timed_out(std::string_view where);

/// The trace of a run; the last one made in a process is the one that signals write to.
class CrashTrace {
public:
    /// The first rank of each team makes its file at `path`, which the others need not know, and
    /// holds a lock on it as long as it lives. What a rank may take, in bytes,
    /// is 0 if nobody bounds it: a fault with that used up is told as want of memory. Throws
    /// `core::InputError`, with several ranks `comm::CollectiveError`. Collective over the world.
    CrashTrace(const std::string& path, comm::Communicator& world, comm::Communicator& team,
               double memory_bound = 0);
    /// The first rank removes the file, unless this process crashes or has excused itself.
    ~CrashTrace();
    CrashTrace(const CrashTrace&) = delete;
    CrashTrace& operator=(const CrashTrace&) = delete;

    /// What the message of a crash names.
    void begin_unit(const std::string& name);

    /// The same, and that this rank is at a ceiling, which only one rank computes: in its slot
    /// until `end_ceiling`, so that the next start knows it however the process ends.
    void begin_ceiling(const std::string& key, const std::string& name, bool alone);
    void end_ceiling();

    /// The same of a unit that this rank alone works for ahead, while its team is at another one.
    void begin_ahead(const std::string& key, const std::string& name);
    void end_ahead();

    /// That an exception which nobody expects ends this rank: a crash, or want of memory where it
    /// is bounded.
    void leave_ended_by(const std::exception& error);

private:
    void write_elsewhere(std::string text);

    std::string path_;
    std::string unit_;  ///< the name of the one that the team is at
    bool leads_;
    io::Descriptor file_;
    off_t slot_ = 0;
};

/// How what a rank says in a trace begins: "crashed SIGSEGV", "lacked 524288000 SIGSEGV" (of so
/// many bytes), "timeout 1800 s in extract"; "stopped" and "excused" are all of it.
namespace trace_word {
inline constexpr std::string_view crashed = "crashed ";
inline constexpr std::string_view lacked = "lacked ";
inline constexpr std::string_view timed_out = "timeout ";
inline constexpr std::string_view stopped = "stopped";
inline constexpr std::string_view excused = "excused";
}  // namespace trace_word

/// The word of each rank, empty of one that has said nothing.
using TraceWords = std::vector<std::string>;

struct LeftTrace {
    std::string path;
    std::string segment;   ///< file name of the segment of the journal that it belongs to
    TraceWords words;      ///< by rank of the team; those of the last ranks may be absent
    bool is_live = false;  ///< its run still works, as far as locks of this file system tell
    /// "beside KEY HOST" or "alone KEY HOST" of the ceilings, and units to come, that ranks were
    /// at; or empty.
    TraceWords side_work = {};
    bool is_locked = false;  ///< its run still works for certain
};

/// All traces in a journal's folder, none if it does not exist; to be read before the journal.
/// Throws as `core::throw_system_error` if it cannot be listed.
std::vector<LeftTrace> read_traces(const std::string& journal_folder);

}  // namespace ventral::pipeline
