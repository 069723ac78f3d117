#include "pipeline/watch/crash_trace.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/private_memory.hpp"
#include "core/where_and_when.hpp"
#include "io/disk/entries_of.hpp"
#include "io/disk/file_lock.hpp"
#include "io/disk/writer_suffix.hpp"
#include "io/input_file.hpp"
#include "pipeline/watch/signal_text.hpp"

namespace ventral::pipeline {
namespace {

/// A rank's word, then the ceiling or the unit to come that it is at.
constexpr std::size_t word_bytes = 128;
constexpr std::size_t slot_bytes = 2 * word_bytes;

struct FatalSignal {
    int number;
    const char* name;
};
constexpr std::array<FatalSignal, 5> fatal_signals = {{{SIGSEGV, "SIGSEGV"},
                                                       {SIGBUS, "SIGBUS"},
                                                       {SIGFPE, "SIGFPE"},
                                                       {SIGILL, "SIGILL"},
                                                       {SIGABRT, "SIGABRT"}}};

// Signal handlers can reach nothing but these.
std::array<struct sigaction, fatal_signals.size()> actions_before;
std::atomic<int> trace_file = -1;
std::atomic<off_t> trace_slot = 0;
std::atomic<bool> has_left_evidence = false;
std::atomic<bool> is_crashing = false;
std::atomic<double> trace_bound = 0;
std::atomic<pid_t> traced_process = 0;
std::array<char, 32> rank_text{};
std::array<char, 512> unit_text{};

/// A fork of the process, made to try something out, has no part in its trace.
bool write_slot(std::string_view word) {
    const int file = trace_file;
    if (file < 0 || getpid() != traced_process) return false;
    const auto part = word.substr(0, word_bytes);
    const int of_others = errno;  // whom a signal has interrupted
    const auto written = pwrite(file, part.data(), part.size(), trace_slot);
    errno = of_others;
    return written == static_cast<ssize_t>(part.size());
}

/// What the next start has to find.
bool leave_evidence(std::string_view word) {
    has_left_evidence = true;
    return write_slot(word);
}

void write_message(const SignalText& message) {
    const auto text = message.view();
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) errno = 0;
}

/// Libraries do not all look whether they were given memory.
bool lacks_memory(int number) {
    const bool may_be = number == SIGSEGV || number == SIGBUS || number == SIGABRT;
    return may_be && trace_bound > 0 && core::is_memory_used_up();
}

/// The first thread that crashes speaks; another has nothing to add and waits for the end.
void on_fatal_signal(int number) {
    const auto index = std::find_if(fatal_signals.begin(), fatal_signals.end(),
                                    [&](const auto& each) { return each.number == number; }) -
                       fatal_signals.begin();
    const auto& signal = fatal_signals.at(static_cast<std::size_t>(index));
    if (getpid() == traced_process) {
        if (is_crashing.exchange(true))
            for (;;) pause();
        SignalText word;
        const bool is_memory = lacks_memory(number);
        if (is_memory)
            word << trace_word::lacked << trace_bound << " " << signal.name << "\n";
        else
            word << trace_word::crashed << signal.name << "\n";
        leave_evidence(word.view());
        write_message(SignalText() << rank_text.data() << "error: " << signal.name
                                   << (is_memory ? " for want of memory" : "") << unit_text.data()
                                   << " ends the job\n");
    }
    sigaction(number, &actions_before.at(static_cast<std::size_t>(index)), nullptr);
    raise(number);
}

template <std::size_t Size>
void copy_text(std::array<char, Size>& to, const std::string& text) {
    to = {};
    text.copy(to.data(), Size - 1);
}

/// A stack overflow leaves a handler no room on the stack of the main thread.
void use_stack_of_its_own() {
    static std::array<char, 64 << 10> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    sigaltstack(&stack, nullptr);
}

[[noreturn]] void fail(const std::string& path) {
    throw core::OutputError(path + ": cannot be made (" + std::strerror(errno) + ")");
}

/// The file of a first rank, which gets its name when its lock is held: who finds it before would
/// take its run for a dead one.
io::Descriptor make_trace(const std::string& path) {
    const auto temporary = path + "." + io::writer_suffix() + ".tmp";
    io::Descriptor file(temporary, O_CREAT | O_EXCL | O_WRONLY);
    if (!file) fail(path);
    io::try_lock(file, io::LockKind::exclusive);
    if (rename(temporary.c_str(), path.c_str()) == 0) return file;
    const int error = errno;
    unlink(temporary.c_str());
    errno = error;
    fail(path);
}

io::Descriptor open_trace(const std::string& path) {
    io::Descriptor file(path, O_WRONLY);
    if (!file) fail(path);
    return file;
}

/// Those of all slots, that many bytes from their begin on; one that nobody has written to is
/// zeros.
TraceWords words_of(const std::string& bytes, std::size_t offset) {
    TraceWords words;
    for (auto place = offset; place < bytes.size(); place += slot_bytes) {
        const auto word = bytes.substr(place, word_bytes);
        words.push_back(word.substr(0, word.find_first_of(std::string("\n\0", 2))));
    }
    return words;
}

/// On a file system without locks, and where they cannot be read, traces count as those of runs
/// that live, and stay: to forget a dead one's evidence is better than to take a living one's away.
/// What else tells of a death, `unit_histories` knows. False if the trace is gone: who took it over
/// has written it into the journal before.
bool ask_lock(LeftTrace& trace) {
    const io::Descriptor file(trace.path, O_RDONLY | O_NONBLOCK);
    trace.is_live = true;
    if (!file) return errno != ENOENT;
    const auto answer = io::try_lock(file, io::LockKind::shared);
    trace.is_live = answer != io::LockAnswer::held;
    trace.is_locked = answer == io::LockAnswer::taken_by_another;
    return true;
}

}  // namespace

void report_crashes(int world_rank) {
    copy_text(rank_text, "rank " + std::to_string(world_rank) + ": ");
    traced_process = getpid();
    use_stack_of_its_own();
    struct sigaction action {};
    action.sa_handler = on_fatal_signal;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
        struct sigaction before {};
        sigaction(fatal_signals[i].number, &action, &before);
        if (before.sa_handler != on_fatal_signal) actions_before[i] = before;
    }
}

void leave_stopped() {
    if (!has_left_evidence) write_slot((SignalText() << trace_word::stopped << "\n").view());
}

void leave_excused() { leave_evidence((SignalText() << trace_word::excused << "\n").view()); }

bool leave_timed_out(std::string_view where) {
    if (has_left_evidence.exchange(true)) return false;
    write_message(SignalText() << rank_text.data() << "error: no progress for " << where
                               << unit_text.data()
                               << ": ends the job (--unit-timeout allows more)\n");
    return leave_evidence((SignalText() << trace_word::timed_out << where << "\n").view());
}

CrashTrace::CrashTrace(const std::string& path, comm::Communicator& world, comm::Communicator& team,
                       double memory_bound)
    : path_(team.broadcast(path, 0)), leads_(team.rank() == 0) {
    comm::run_collectively(world, [&] {
        if (leads_) file_ = make_trace(path_);
    });
    comm::run_collectively(world, [&] {
        if (!leads_) file_ = open_trace(path_);
    });
    slot_ = static_cast<off_t>(slot_bytes) * team.rank();
    trace_slot = slot_;
    trace_bound = memory_bound;
    has_left_evidence = false;
    traced_process = getpid();
    trace_file = file_.id();
}

CrashTrace::~CrashTrace() {
    if (trace_file == file_.id()) trace_file = -1;
    copy_text(unit_text, "");
    if (leads_ && !has_left_evidence) unlink(path_.c_str());
}

void CrashTrace::begin_unit(const std::string& name) {
    unit_ = name;
    copy_text(unit_text, " in unit '" + name + "'");
}

void CrashTrace::begin_ceiling(const std::string& key, const std::string& name, bool alone) {
    copy_text(unit_text, " in ceiling '" + name + "'");
    write_elsewhere((alone ? "alone " : "beside ") + key + " " + core::host_name() + "\n");
}

void CrashTrace::end_ceiling() {
    copy_text(unit_text, "");
    write_elsewhere("");
}

void CrashTrace::begin_ahead(const std::string& key, const std::string& name) {
    copy_text(unit_text, " in unit '" + name + "', which comes next,");
    write_elsewhere("beside " + key + " " + core::host_name() + "\n");
}

void CrashTrace::end_ahead() {
    begin_unit(unit_);
    write_elsewhere("");
}

/// It is no safe point: where it cannot be written, nobody will be accused.
void CrashTrace::write_elsewhere(std::string text) {
    text.resize(word_bytes);
    if (pwrite(file_.id(), text.data(), text.size(), slot_ + static_cast<off_t>(word_bytes)) < 0)
        errno = 0;
}

void CrashTrace::leave_ended_by(const std::exception& error) {
    const bool is_memory =
        trace_bound > 0 && core::failure_class_of(error) == core::FailureClass::out_of_memory;
    SignalText word;
    if (is_memory)
        word << trace_word::lacked << trace_bound << " ";
    else
        word << trace_word::crashed;
    const std::string_view reason = error.what();
    word << reason.substr(0, reason.find('\n')) << "\n";
    leave_evidence(word.view());
}

std::vector<LeftTrace> read_traces(const std::string& journal_folder) {
    std::vector<LeftTrace> traces;
    std::error_code error;
    for (const auto& path : io::entries_of(journal_folder, error)) {
        if (path.extension() != ".trace") continue;
        LeftTrace trace;
        trace.path = path.string();
        trace.segment = path.stem().string() + ".journal";
        if (!ask_lock(trace)) continue;
        try {
            const auto bytes = io::read_file(trace.path);
            trace.words = words_of(bytes, 0);
            trace.side_work = words_of(bytes, word_bytes);
        } catch (const core::InputError&) {
            trace.is_live = true;
        }
        traces.push_back(std::move(trace));
    }
    if (error && error != std::errc::no_such_file_or_directory)
        core::throw_system_error(journal_folder + ": the journal cannot be listed", error.value());
    return traces;
}

}  // namespace ventral::pipeline
