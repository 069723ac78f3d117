#include "core/errors.hpp"

#include <cerrno>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("near names are suggested, the nearest first") {
    const std::vector<std::string> names{"ridge", "ridgecv", "pls", "cka"};
    CHECK(near_names("rigde", names) == ", did you mean 'ridge'?");
    CHECK(near_names("ridgec", names) == ", did you mean 'ridge' or 'ridgecv'?");
    CHECK(near_names("PLS", names) == ", did you mean 'pls'?");
}

TEST_CASE("at most three names are suggested") {
    CHECK(near_names("aaaa", {"aaab", "aaac", "aaad", "aaae"}) ==
          ", did you mean 'aaab', 'aaac' or 'aaad'?");
}

TEST_CASE("nothing is suggested where nothing is near") {
    CHECK(near_names("spearman", {"pls", "cka"}).empty());
    CHECK(near_names("x", {"a", "b"}).empty());
    CHECK(near_names("pls", {}).empty());
}

TEST_CASE("a place is named once, and one whose name goes on is another") {
    const auto named = [](const std::string& place, const std::string& reason) {
        try {
            naming(place, [&] { throw InputError(reason); });
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(named("a.nc", "no rows") == "a.nc: no rows");
    CHECK(named("a.nc", "a.nc: no rows") == "a.nc: no rows");
    CHECK(named("a.nc", "a.nc and b.nc differ") == "a.nc and b.nc differ");
    CHECK(named("a.nc", "a.nc.old: no rows") == "a.nc: a.nc.old: no rows");
}

TEST_CASE("failure classes have the names that score records use") {
    CHECK(name_of(FailureClass::deterministic) == "deterministic");
    CHECK(name_of(FailureClass::out_of_memory) == "out_of_memory");
    CHECK(name_of(FailureClass::timeout) == "timeout");
}

TEST_CASE("an exception that says in words that memory ran out is of that class") {
    using ventral::core::failure_class_of;
    CHECK(failure_class_of(std::bad_alloc()) == FailureClass::out_of_memory);
    CHECK(failure_class_of(std::runtime_error(
              "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: "
              "you tried to allocate 8 bytes. Error code 12 (Cannot allocate memory)")) ==
          FailureClass::out_of_memory);
    for (const char* of_a_gpu :
         {"CUDA out of memory. Tried to allocate 2.00 GiB", "CUDA error: out of memory",
          "CUBLAS_STATUS_ALLOC_FAILED when",
          "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
          "Unable to find a valid cuDNN algorithm to run convolution",
          "GET was unable to find an engine to execute this computation"})
        CHECK(failure_class_of(std::runtime_error(of_a_gpu)) == FailureClass::out_of_memory);
    CHECK(failure_class_of(std::system_error(std::make_error_code(
              std::errc::resource_unavailable_try_again))) == FailureClass::out_of_memory);
    CHECK(failure_class_of(ventral::core::InputError("a.nc: NetCDF: Memory allocation (malloc) "
                                                     "failure")) == FailureClass::out_of_memory);
    CHECK(failure_class_of(ventral::core::InputError(std::string("a.ts: cannot be used (it ") +
                                                     ventral::core::needs_more_memory + ")")) ==
          FailureClass::out_of_memory);
    CHECK(failure_class_of(ventral::core::InputError("a.nc: no memory of it")) ==
          FailureClass::deterministic);
    CHECK(failure_class_of(std::system_error(std::make_error_code(std::errc::permission_denied))) ==
          FailureClass::deterministic);
}

TEST_CASE("a lack of memory is thrown on by who looks for the fault of an input") {
    const auto handled = [](const char* reason) {
        try {
            throw ventral::core::InputError(reason);
        } catch (const ventral::core::InputError& error) {
            ventral::core::rethrow_lack_of_memory(error);
        }
    };
    CHECK_NOTHROW(handled("a.ts: forward takes no images"));
    CHECK_THROWS_WITH(handled("a.ts: CUDA out of memory"), "a.ts: CUDA out of memory");
}

TEST_CASE("what the system cannot do now is transient, what it refuses is not") {
    using namespace ventral::core;
    const auto thrown = [](int error) {
        throw_system_error("a.nc: cannot be read", error, "copy it");
    };
    CHECK_THROWS_AS(thrown(ESTALE), TransientError);
    CHECK_THROWS_WITH(thrown(ESTALE), "a.nc: cannot be read (Stale file handle) run again");
    CHECK_THROWS_AS(thrown(0), TransientError);
    CHECK_THROWS_WITH(thrown(EACCES), "a.nc: cannot be read (Permission denied) copy it");
    CHECK_FALSE(may_pass(EACCES));
    CHECK(failure_class_of(TransientError("a.nc: stale")) == FailureClass::transient);
    CHECK(failure_class_of(OutputError("disk full")) == FailureClass::transient);
    CHECK(failure_class_of(std::filesystem::filesystem_error(
              "status", std::make_error_code(std::errc::permission_denied))) ==
          FailureClass::transient);
    CHECK(failure_class_of(std::system_error(EIO, std::generic_category())) ==
          FailureClass::transient);
}

TEST_CASE("an error with more words stays of its kind") {
    using namespace ventral::core;
    CHECK_THROWS_AS(throw_again(TransientError("stale"), "a.nc: stale"), TransientError);
    CHECK_THROWS_WITH(throw_again(InputError("damaged"), "a.nc: damaged"), "a.nc: damaged");
    try {
        throw_again(InputError("damaged"), "a.nc: damaged");
    } catch (const InputError& error) {
        CHECK(failure_class_of(error) == FailureClass::deterministic);
    }
}

TEST_CASE("a known failure is what it says it is, whatever its words") {
    using namespace ventral::core;
    const KnownFailure crashed({FailureClass::crashed, "std::bad_alloc in a child"});
    CHECK(failure_class_of(crashed) == FailureClass::crashed);
    CHECK(failure_of(crashed).failure_class == FailureClass::crashed);
    CHECK(failure_of(crashed).reason == "std::bad_alloc in a child");
    const KnownFailure memory({FailureClass::out_of_memory, "no room"});
    CHECK(std::string(memory.what()) == "no room");
    const auto handle = [](const std::exception& error) { rethrow_lack_of_memory(error); };
    try {
        throw memory;
    } catch (const std::exception& error) {
        CHECK_THROWS_AS(handle(error), KnownFailure);
    }
}

TEST_CASE("another failure is told by its kind and its words") {
    using namespace ventral::core;
    CHECK(failure_of(OutputError("disk full")).failure_class == FailureClass::transient);
    CHECK(failure_of(std::bad_alloc()).failure_class == FailureClass::out_of_memory);
    const auto failure = failure_of(InputError("a.nc: damaged"));
    CHECK(failure.failure_class == FailureClass::deterministic);
    CHECK(failure.reason == "a.nc: damaged");
}
