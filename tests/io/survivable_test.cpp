#include "io/hdf5/survivable.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using ventral::io::require_survivable;
using ventral::io::tells_of_damage;
using ventral::io::try_files_with;

namespace {

/// As if mpiexec had started the program.
struct UnderMpiexec {
    UnderMpiexec() { setenv("PMI_SIZE", "1", 1); }
    ~UnderMpiexec() { unsetenv("PMI_SIZE"); }
};

}  // namespace

TEST_CASE("reading that returns or throws is survivable and leaves no trace here") {
    int calls = 0;
    require_survivable("a.nc", [&] { ++calls; });
    require_survivable("a.nc", [&] { throw std::runtime_error("refused"); });
    CHECK(calls == 0);
}

// Under the address sanitizer nothing is tried in a child (survivable.cpp).
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("reading that crashes is an error that calls the file damaged") {
    CHECK_THROWS_WITH(require_survivable("a.nc", [] { std::raise(SIGSEGV); }),
                      "a.nc: is damaged (reading it crashes HDF5)");
    CHECK_THROWS_AS(require_survivable("a.nc", [] { std::raise(SIGABRT); }),
                    ventral::core::InputError);
}
#endif

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a file that a process from elsewhere can try is not read in a child") {
    std::optional<int> status = 0;
    try_files_with([&](const std::string&) { return status; });
    CHECK_NOTHROW(require_survivable("a.nc", [] { std::raise(SIGSEGV); }));
    status.reset();
    CHECK_THROWS_WITH(require_survivable("a.nc", [] { std::raise(SIGSEGV); }),
                      "a.nc: is damaged (reading it crashes HDF5)");
    try_files_with({});
}
#endif

TEST_CASE("under mpiexec a process from elsewhere tries the file, and nothing is read here") {
    const UnderMpiexec mpiexec;
    int calls = 0;
    const auto read = [&] {
        ++calls;
        std::raise(SIGSEGV);
    };
    require_survivable("a.nc", read);
    std::string tried;
    std::optional<int> status = 0;  // as from waitpid: exit code 0, or the number of a signal
    try_files_with([&](const std::string& path) {
        tried = path;
        return status;
    });
    require_survivable("a.nc", read);
    CHECK(tried == "a.nc");
    status = SIGSEGV;
    CHECK_THROWS_WITH(require_survivable("a.nc", read),
                      "a.nc: is damaged (reading it crashes HDF5)");
    status = SIGXCPU;
    CHECK_THROWS_WITH(require_survivable("a.nc", read),
                      "a.nc: is damaged (reading it does not end)");
    for (const auto no_damage : {std::optional<int>(SIGTERM), std::optional<int>(SIGKILL),
                                 std::optional<int>(1 << 8), std::optional<int>()}) {
        status = no_damage;
        CHECK_NOTHROW(require_survivable("a.nc", read));
    }
    try_files_with({});
    CHECK(calls == 0);
}

TEST_CASE("a process that crashes or does not end tells of damage, one that is stopped does not") {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU})
        CHECK(tells_of_damage(signal));
    for (const int status : {0, 1 << 8, SIGKILL, SIGTERM, SIGINT})
        CHECK_FALSE(tells_of_damage(status));
}
