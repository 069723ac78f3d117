#include "pipeline/watch/stop.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <ratio>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "pipeline/watch/crash_trace.hpp"
#include "support/ranks.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::StopRequest;

namespace {

std::atomic<bool> heap_is_locked = false;

/// The exit code of a process of its own that does `work`: signals leave their mark on a process.
int exit_code_of(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// With a trace at `path`; its heap is of no use any more.
int leave_stuck_without_heap(const std::string& path) {
    pipeline::listen_for_stop_signals(75);
    const auto serial = comm::make_serial();
    pipeline::CrashTrace trace(path, *serial, *serial);
    trace.begin_unit("model on dataset, with a name that needs the heap");
    heap_is_locked = true;
    pipeline::leave_stuck(1234567.9, "extract");
}

}  // namespace

// The address sanitizer keeps an allocator of its own, and has to tell which of its memory is
// whose.
#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t size) {
    if (heap_is_locked) _exit(99);
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

TEST_CASE("without a limit and a signal nobody is asked to stop") {
    test::on_ranks([](comm::Communicator& world) {
        const StopRequest stop({});
        CHECK_FALSE(stop.pending());
        CHECK_NOTHROW(stop.check(world));
    });
}

TEST_CASE("a limit is a request once it has passed") {
    CHECK(StopRequest(std::chrono::seconds(0)).pending());
    CHECK_FALSE(StopRequest(std::chrono::hours(1)).pending());
}

TEST_CASE("a limit that no clock can tell does not pass") {
    // 10^7 hours are 3.6 10^19 ns, more than 2^63.
    for (const double hours : {1e7, 1e300}) {
        const std::chrono::duration<double, std::ratio<3600>> limit(hours);
        CHECK_FALSE(StopRequest(limit).pending());
    }
}

TEST_CASE("a request of one rank stops all") {
    test::on_ranks([](comm::Communicator& world) {
        const bool is_last = world.rank() == world.size() - 1;
        const StopRequest stop(std::chrono::hours(is_last ? 0 : 1));
        CHECK(stop.pending() == is_last);
        CHECK_THROWS_AS(stop.check(world), core::Interrupted);
    });
}

TEST_CASE("a process that is stuck leaves as after a stop, if the next start will know of it") {
    if (comm::under_mpiexec()) return;  // an MPI rank must not fork
    const test::TemporaryFolder folder;
    const auto path = folder.file("job.0.trace");
    CHECK(exit_code_of([&] {
              pipeline::listen_for_stop_signals(75);
              const auto serial = comm::make_serial();
              pipeline::CrashTrace trace(path, *serial, *serial);
              pipeline::leave_stuck(1800, "extract");
              return 0;
          }) == 75);
    const auto traces = pipeline::read_traces(folder.path().string());
    REQUIRE(traces.size() == 1);
    CHECK(traces[0].words == pipeline::TraceWords{"timeout 1800 s in extract"});
    CHECK_FALSE(traces[0].is_live);
    CHECK(exit_code_of([] {
              pipeline::listen_for_stop_signals(75);
              pipeline::leave_stuck(1800, "");
              return 0;
          }) == 1);
}

TEST_CASE("a process that is stuck with the heap's lock leaves all the same") {
    if (comm::under_mpiexec()) return;
    const test::TemporaryFolder folder;
    const auto path = folder.file("job.0.trace");
    CHECK(exit_code_of([&] { return leave_stuck_without_heap(path); }) == 75);
    CHECK(pipeline::read_traces(folder.path().string()).at(0).words ==
          pipeline::TraceWords{"timeout 1234567.9 s in extract"});
}

TEST_CASE("the signals to stop are requests") {
    if (comm::under_mpiexec()) return;  // an MPI rank must not fork
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) {
        CHECK(exit_code_of([signal] {
                  pipeline::listen_for_stop_signals(75);
                  pipeline::listen_for_stop_signals(75);
                  const StopRequest stop({});
                  const bool before = stop.pending();
                  raise(signal);
                  return before ? 1 : stop.pending() ? 0 : 2;
              }) == 0);
    }
}

TEST_CASE("signals that were blocked when the process was started reach it all the same") {
    if (comm::under_mpiexec()) return;
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGALRM}) {
        CHECK(exit_code_of([signal] {
                  sigset_t all;
                  sigfillset(&all);
                  sigprocmask(SIG_BLOCK, &all, nullptr);
                  raise(signal);
                  pipeline::note_recorded();
                  pipeline::listen_for_stop_signals(75);
                  return StopRequest({}).pending() ? 75 : 1;
              }) == 75);
    }
}

TEST_CASE("a process that does not reach a safe point leaves with the code given last") {
    if (comm::under_mpiexec()) return;
    CHECK(exit_code_of([] {
              pipeline::listen_for_stop_signals(1);
              pipeline::listen_for_stop_signals(75);
              pipeline::note_recorded();
              raise(SIGUSR1);
              const unsigned grace = alarm(0);
              if (grace < 5 || grace > 6) return 1;
              raise(SIGALRM);
              return 2;
          }) == 75);
}

TEST_CASE("where nothing was recorded it leaves with 1, after the other ranks") {
    if (comm::under_mpiexec()) return;
    CHECK(exit_code_of([] {
              pipeline::listen_for_stop_signals(75);
              raise(SIGUSR1);
              raise(SIGALRM);
              if (alarm(0) != 1) return 2;
              raise(SIGALRM);
              return 3;
          }) == 1);
}

TEST_CASE(
    "a time limit that passes without a safe point ends the process soon, one kept does not") {
    if (comm::under_mpiexec()) return;
    CHECK(exit_code_of([] {
              pipeline::listen_for_stop_signals(75);
              { const StopRequest passed(std::chrono::milliseconds(0)); }
              const unsigned grace = alarm(0);
              if (grace < 5 || grace > 6) return 1;
              {
                  const StopRequest kept(std::chrono::hours(1));
                  if (alarm(0) < 3600) return 2;
              }
              return alarm(0) == 0 ? 0 : 3;
          }) == 0);
}
