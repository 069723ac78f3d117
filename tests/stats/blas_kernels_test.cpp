#include "stats/linear_algebra/blas_kernels.hpp"

#include <catch2/catch.hpp>

using namespace ventral::stats;
using Catch::Matchers::Contains;

TEST_CASE("the kernels and the version of the BLAS are known") {
    CHECK(!blas_core().empty());
    CHECK_THAT(blas_version(), Catch::StartsWith("OpenBLAS 0."));
    // "OpenBLAS" and a number, without the options that it was built with.
    CHECK(blas_version().find(' ') == blas_version().rfind(' '));
}

TEST_CASE("stronger kernels than those in use are asked for at most once") {
    // What it asks for is what it would be content with.
    const auto stronger = stronger_blas_core();
    if (!stronger) return;
    CHECK((*stronger == "SkylakeX" || *stronger == "Haswell"));
    CHECK(*stronger != blas_core());
}

TEST_CASE("the rate of matrix products is measured") {
    ventral::core::Workers workers(1);
    const double rate = dgemm_rate(workers, 1);
    CHECK(rate > 1e7);   // slower than any machine of this century
    CHECK(rate < 1e15);  // faster than any
}

TEST_CASE("the fingerprint names all that bits depend on, the same each time") {
    const auto fingerprint = numerics_fingerprint();
    CHECK_THAT(fingerprint, Contains(blas_core()) && Contains(blas_version()));
    CHECK_THAT(fingerprint, Contains("GNU") || Contains("Clang"));
    CHECK_THAT(fingerprint, Contains("mxcsr"));
    CHECK(numerics_fingerprint() == fingerprint);
}
