#include "stats/linear_algebra/pairwise_sum.hpp"

#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using ventral::stats::pairwise_sum;

TEST_CASE("sums have NumPy's last bit") {
    // np.sum(1 / np.arange(1, n + 1)); added up one by one the last two end in …977 and …343.
    const auto harmonic = [](int n) {
        std::vector<double> values;
        for (int i = 1; i <= n; ++i) values.push_back(1.0 / i);
        return pairwise_sum(values);
    };
    CHECK(pairwise_sum(std::span<const double>{}) == 0);
    CHECK(harmonic(1) == 1);
    CHECK(harmonic(6) == 2.4499999999999997);
    CHECK(harmonic(17) == 3.439552522640758);
    CHECK(harmonic(130) == 5.4485913382659765);
    CHECK(harmonic(1000) == 7.485470860550345);
}

TEST_CASE("sums of float32 have NumPy's last bit") {
    // np.sum(np.float32(1) / np.arange(1, n + 1, dtype="float32")).
    const auto harmonic = [](int n) {
        std::vector<float> values;
        for (int i = 1; i <= n; ++i) values.push_back(1.0F / static_cast<float>(i));
        return pairwise_sum(std::span<const float>(values));
    };
    CHECK(harmonic(6) == 2.450000286102295F);
    CHECK(harmonic(17) == 3.4395527839660645F);
    CHECK(harmonic(130) == 5.448592185974121F);
    CHECK(harmonic(1000) == 7.485471725463867F);
}

TEST_CASE("every value is added once, whatever the length") {
    for (const std::size_t n : {7U, 8U, 9U, 127U, 128U, 129U, 255U, 1031U}) {
        std::vector<double> values(n);
        std::iota(values.begin(), values.end(), 1.0);
        CHECK(pairwise_sum(values) == static_cast<double>(n * (n + 1)) / 2);
    }
}
