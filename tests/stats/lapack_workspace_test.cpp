#include "stats/linear_algebra/lapack_workspace.hpp"

#include <catch2/catch.hpp>

using ventral::stats::with_workspace;

TEST_CASE("a routine without memory for its workspace has not found its matrix at fault") {
    CHECK_THROWS_AS(with_workspace(LAPACK_WORK_MEMORY_ERROR), std::bad_alloc);
    CHECK_THROWS_AS(with_workspace(LAPACK_TRANSPOSE_MEMORY_ERROR), std::bad_alloc);
    CHECK(with_workspace(0) == 0);
    CHECK(with_workspace(3) == 3);
    CHECK(with_workspace(-2) == -2);
}
