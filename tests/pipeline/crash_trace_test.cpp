#include "pipeline/watch/crash_trace.hpp"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <sstream>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "core/private_memory.hpp"
#include "core/where_and_when.hpp"
#include "support/sanitized.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::CrashTrace;
using pipeline::read_traces;

namespace {

/// How a process of its own ends that does `work` with a trace at `path`; as from waitpid.
int status_of(const std::string& path, const std::function<void(CrashTrace&)>& work,
              double memory_bound = 0) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        if (!freopen((path + ".said").c_str(), "w", stderr)) _exit(2);
        for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(signal, SIG_DFL);
        const auto serial = comm::make_serial();
        pipeline::report_crashes(0);
        CrashTrace trace(path, *serial, *serial, memory_bound);
        trace.begin_unit("model on dataset");
        work(trace);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a trace is there as long as its run, is known to be live, and leaves nothing") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        {
            const CrashTrace trace(world.rank() == 0 ? folder + "/job.0.trace" : "", world, world);
            const auto traces = read_traces(folder);
            REQUIRE(traces.size() == 1);
            CHECK(traces[0].segment == "job.0.journal");
            CHECK(traces[0].is_live);
            CHECK(traces[0].is_locked);
            CHECK(traces[0].words.empty());
            world.barrier();
        }
        world.barrier();
        CHECK(read_traces(folder).empty());
        world.barrier();
    });
}

TEST_CASE("a trace has its name only when its lock is held") {
    const test::TemporaryFolder folder;
    const int watch = inotify_init1(IN_NONBLOCK);
    REQUIRE(inotify_add_watch(watch, folder.path().c_str(), IN_CREATE | IN_MOVED_TO) >= 0);
    const auto serial = comm::make_serial();
    const CrashTrace trace(folder.file("job.0.trace"), *serial, *serial);
    CHECK(read_traces(folder.path().string()).at(0).is_locked);
    alignas(inotify_event) std::array<char, 4096> events{};
    const auto bytes = read(watch, events.data(), events.size());
    close(watch);
    std::vector<std::uint32_t> ways;  // in which the name came to be
    for (ssize_t at = 0; at < bytes;) {
        const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
        if (event->name == std::string("job.0.trace")) ways.push_back(event->mask);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    CHECK(ways == std::vector<std::uint32_t>{IN_MOVED_TO});
}

TEST_CASE("a fault with the memory used up that a rank may take is told as want of it") {
    if (comm::under_mpiexec() || !test::has_block_pools) return;
    const auto fault_with = [](double memory_bound, rlim_t room) {
        const test::TemporaryFolder folder;
        const auto path = folder.file("job.0.trace");
        const auto fault = [room](CrashTrace&) {
            const auto taken = static_cast<rlim_t>(core::own_memory("VmData"));
            const rlimit limit{taken + room, RLIM_INFINITY};
            setrlimit(RLIMIT_DATA, &limit);
            raise(SIGSEGV);
        };
        CHECK(WTERMSIG(status_of(path, fault, memory_bound)) == SIGSEGV);
        return read_traces(folder.path().string()).at(0).words.at(0) + ": " +
               text_of(path + ".said");
    };
    CHECK_THAT(fault_with(5e8, 1 << 20),
               Catch::StartsWith("lacked 500000000 SIGSEGV: ") &&
                   Catch::Contains("SIGSEGV for want of memory in unit 'model on dataset'"));
    CHECK_THAT(fault_with(5e8, 1 << 30), Catch::StartsWith("crashed SIGSEGV: "));
    CHECK_THAT(fault_with(0, 1 << 20), Catch::StartsWith("crashed SIGSEGV: "));
}

TEST_CASE("an exception that ends a rank of which memory is bounded may be want of it") {
    if (comm::under_mpiexec()) return;
    const auto word_after = [](double memory_bound) {
        const test::TemporaryFolder folder;
        const auto fail = [](CrashTrace& trace) {
            trace.leave_ended_by(std::bad_alloc());
            raise(SIGKILL);
        };
        status_of(folder.file("job.0.trace"), fail, memory_bound);
        return read_traces(folder.path().string()).at(0).words.at(0);
    };
    CHECK(word_after(5e8) == "lacked 500000000 std::bad_alloc");
    CHECK(word_after(0) == "crashed std::bad_alloc");
}

TEST_CASE("a fault ends the process, is told with rank and unit, and is found by the next") {
    if (comm::under_mpiexec()) return;  // an MPI rank must not fork
    const std::vector<std::pair<int, std::string>> faults = {
        {SIGSEGV, "SIGSEGV"}, {SIGFPE, "SIGFPE"}, {SIGABRT, "SIGABRT"}};
    for (const auto& [number, name] : faults) {
        const test::TemporaryFolder folder;
        const auto path = folder.file("job.0.trace");
        const int status = status_of(path, [number = number](CrashTrace&) { raise(number); });
        REQUIRE(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == number);
        CHECK(text_of(path + ".said") ==
              "rank 0: error: " + name + " in unit 'model on dataset' ends the job\n");
        const auto traces = read_traces(folder.path().string());
        REQUIRE(traces.size() == 1);
        CHECK_FALSE(traces[0].is_live);
        CHECK_FALSE(traces[0].is_locked);
        CHECK(traces[0].words == pipeline::TraceWords{"crashed " + name});
    }
}

TEST_CASE("std::terminate leaves a trace too") {
    if (comm::under_mpiexec()) return;
    const test::TemporaryFolder folder;
    const auto path = folder.file("job.0.trace");
    status_of(path, [](CrashTrace&) { std::terminate(); });
    CHECK(read_traces(folder.path().string()).at(0).words.at(0) == "crashed SIGABRT");
}

TEST_CASE("words of a process that is killed later stay, a fault outweighs a request to stop") {
    if (comm::under_mpiexec()) return;
    const auto words_after = [](const std::function<void(CrashTrace&)>& work) {
        const test::TemporaryFolder folder;
        status_of(folder.file("job.0.trace"), [&](CrashTrace& trace) {
            work(trace);
            raise(SIGKILL);
        });
        return read_traces(folder.path().string()).at(0).words;
    };
    using Words = pipeline::TraceWords;
    CHECK(words_after([](CrashTrace&) {}).empty());
    CHECK(words_after([](CrashTrace&) { pipeline::leave_stopped(); }) == Words{"stopped"});
    CHECK(words_after([](CrashTrace&) { pipeline::leave_excused(); }) == Words{"excused"});
    CHECK(words_after([](CrashTrace& trace) {
              pipeline::leave_stopped();
              trace.leave_ended_by(std::runtime_error("why\nand where"));
              pipeline::leave_stopped();
          }) == Words{"crashed why"});
}

TEST_CASE(
    "the ceiling, or next unit, that a process was at when it was killed is found by the next") {
    if (comm::under_mpiexec()) return;
    const auto left_by = [](const std::function<void(CrashTrace&)>& work) {
        const test::TemporaryFolder folder;
        status_of(folder.file("job.0.trace"), [&](CrashTrace& trace) {
            trace.begin_ceiling("key", "consistency of V4", false);
            work(trace);
            raise(SIGKILL);
        });
        return read_traces(folder.path().string()).at(0);
    };
    const auto host = core::host_name();
    const auto killed = left_by([](CrashTrace&) {});
    CHECK(killed.side_work == pipeline::TraceWords{"beside key " + host});
    CHECK(killed.words == pipeline::TraceWords{""});
    CHECK(left_by([](CrashTrace& trace) { trace.end_ceiling(); }).side_work ==
          pipeline::TraceWords{""});
    const auto works_ahead = [](CrashTrace& trace) { trace.begin_ahead("next", "other"); };
    CHECK(left_by(works_ahead).side_work == pipeline::TraceWords{"beside next " + host});
    CHECK(left_by([&](CrashTrace& trace) {
              works_ahead(trace);
              trace.end_ahead();
          }).side_work == pipeline::TraceWords{""});
    const auto crashed = left_by([](CrashTrace& trace) {
        trace.begin_ceiling("long " + std::string(200, 'k'), "", true);
        raise(SIGFPE);
    });
    CHECK(crashed.words == pipeline::TraceWords{"crashed SIGFPE"});
    CHECK_THAT(crashed.side_work.at(0), Catch::StartsWith("alone long kkk"));
}

TEST_CASE("a trace that cannot be read is not taken for a dead run's") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.trace");
    std::ofstream(path) << "crashed SIGABRT";
    CHECK_FALSE(read_traces(folder.path().string()).at(0).is_live);
    std::filesystem::remove(path);
    std::filesystem::create_symlink(path, path);
    const auto trace = read_traces(folder.path().string()).at(0);
    CHECK(trace.is_live);
    CHECK_FALSE(trace.is_locked);
    std::filesystem::remove(path);
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK(read_traces(folder.path().string()).at(0).is_live);
}

TEST_CASE(
    "a trace that goes while traces are read is none, a folder that cannot be listed an error") {
    const test::TemporaryFolder folder;
    std::filesystem::create_symlink(folder.file("gone"), folder.file("a.trace"));
    CHECK(read_traces(folder.path().string()).empty());
    CHECK(read_traces(folder.file("no folder")).empty());
    std::ofstream(folder.file("no folder")) << "a file";
    CHECK_THROWS_AS(read_traces(folder.file("no folder")), core::InputError);
}

TEST_CASE("a fork that tries something out leaves no word") {
    if (comm::under_mpiexec()) return;
    const test::TemporaryFolder folder;
    status_of(folder.file("job.0.trace"), [](CrashTrace&) {
        if (fork() == 0) raise(SIGSEGV);
        wait(nullptr);
        raise(SIGKILL);
    });
    CHECK(read_traces(folder.path().string()).at(0).words.empty());
}
