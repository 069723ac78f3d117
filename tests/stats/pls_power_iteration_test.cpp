#include "stats/pls/pls_power_iteration.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral::stats;

namespace {

PackedSymmetric packed(const Matrix& matrix) {
    PackedSymmetric result(matrix.rows());
    result.set_columns(0, matrix);
    return result;
}

PlsFold first_pass_done() {
    PlsFold fit;
    fit.passes = {1};
    return fit;
}

/// Eigenvectors (1, 1) and (1, −1), eigenvalues 3 and 1.
const Matrix matrix = (Matrix(2, 2) << 2, 1, 1, 2).finished();

}  // namespace

TEST_CASE("the first weight is divided by its norm and what is added to it") {
    const auto g = packed(matrix);
    PlsPowerIteration iteration(g);
    // b = (1, 0): wᵀw = bᵀ G b = 2.
    REQUIRE(iteration.start_with_target(g, 0, 0.0));
    CHECK(iteration.b()(0) == Approx(1 / std::sqrt(2.0)).epsilon(1e-15));
    CHECK(iteration.b()(1) == 0);
    REQUIRE(iteration.start_with_target(g, 1, 1.0));
    CHECK(iteration.b()(0) == 0);
    CHECK(iteration.b()(1) == Approx(1 / (std::sqrt(2.0) + 1)).epsilon(1e-15));
}

TEST_CASE("passes go on until the weight hardly changes") {
    const auto g = packed(matrix);
    PlsPowerIteration iteration(g);
    REQUIRE(iteration.start_with_target(g, 0, 0.0));
    auto fit = first_pass_done();
    REQUIRE(iteration.converge(g, fit));
    // bᵀ G b = 1 along (1, 1): b = (1, 1) / √6. The angle shrinks by 1/3 a pass, and |w − w_old|²
    // is below the tolerance of 1e-6 when its tangent has shrunk to about 1e-3.
    CHECK(iteration.b()(0) == Approx(1 / std::sqrt(6.0)).epsilon(1e-3));
    CHECK(iteration.b()(1) == Approx(1 / std::sqrt(6.0)).epsilon(1e-3));
    CHECK(fit.passes.back() > 2);
    CHECK(fit.passes.back() < 12);
    CHECK(std::isfinite(fit.stop_margin));
}

TEST_CASE("it may start with a product whose b is not known") {
    const auto g = packed(matrix);
    PlsPowerIteration iteration(g);
    const Vector eigenvector = Vector::Constant(2, std::sqrt(1.5));  // G b of the b below
    iteration.start_with_product(eigenvector, 1.0);
    auto fit = first_pass_done();
    REQUIRE(iteration.converge(g, fit));
    CHECK(fit.passes == std::vector<std::size_t>{2});
    CHECK(iteration.b()(0) == Approx(1 / std::sqrt(6.0)).epsilon(1e-14));
}

TEST_CASE("a matrix of zeros breaks it down") {
    const auto g = packed(Matrix::Zero(2, 2));
    PlsPowerIteration iteration(g);
    CHECK_FALSE(iteration.start_with_target(g, 0, 0.0));
    auto fit = first_pass_done();
    iteration.start_with_product(Vector::Zero(2), 0.0);
    CHECK_FALSE(iteration.converge(g, fit));
}
