#include "stats/linear_algebra/row_table.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace ventral::stats;

namespace {

template <typename Real>
RowTable<Real> table(Eigen::Index rows, Eigen::Index columns, const std::vector<Real>& values) {
    return Eigen::Map<const RowTable<Real>>(values.data(), rows, columns);
}

}  // namespace

TEMPLATE_TEST_CASE("products are those of the definition", "", float, double) {
    const auto a = table<TestType>(2, 3, {1, 2, 3, 4, 5, 6});
    const auto b = table<TestType>(3, 2, {1, 0, -1, 2, 0, 1});
    CHECK(product(a, b) == table<TestType>(2, 2, {-1, 7, -1, 16}));
    CHECK(product_of_transposed(a, a) ==
          table<TestType>(3, 3, {17, 22, 27, 22, 29, 36, 27, 36, 45}));
    CHECK(product_with_transposed(a, a) == table<TestType>(2, 2, {14, 32, 32, 77}));
    CHECK(product_with_itself(a) == table<TestType>(2, 2, {14, 32, 32, 77}));
    const std::vector<TestType> x = {1, 0, -1};
    CHECK(product_with_vector(a, std::span<const TestType>(x)) == table<TestType>(2, 1, {-2, -2}));
    CHECK(inner_product(entries(a), entries(b)) == 1 - 3 + 8 + 6);
}

TEST_CASE("entries come row by row") {
    const auto a = table<double>(2, 3, {1, 2, 3, 4, 5, 6});
    CHECK(entries(a)[3] == 4);
    CHECK(row_entries(a, 1).front() == 4);
    CHECK(row_entries(a, 1).size() == 3);
}
