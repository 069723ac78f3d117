#include "core/errors.hpp"

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
    CHECK(failure_class_of(std::system_error(std::make_error_code(
              std::errc::resource_unavailable_try_again))) == FailureClass::out_of_memory);
    CHECK(failure_class_of(ventral::core::InputError("a.nc: NetCDF: Memory allocation (malloc) "
                                                     "failure")) == FailureClass::out_of_memory);
    CHECK(failure_class_of(ventral::core::InputError("a.nc: no memory of it")) ==
          FailureClass::deterministic);
    CHECK(failure_class_of(std::system_error(std::make_error_code(std::errc::permission_denied))) ==
          FailureClass::deterministic);
}
