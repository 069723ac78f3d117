#include "io/survivable.hpp"

#include <csignal>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using ventral::io::require_survivable;

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
