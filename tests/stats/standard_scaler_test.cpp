#include "stats/logistic/standard_scaler.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;

TEST_CASE("means and scales are scikit-learn's") {
    // StandardScaler().fit(X) of the 8 × 4 formula matrix.
    const RowTable<double> features = ventral::test::formula_features(8, 4);
    const auto scales = feature_scales(features);
    CHECK(scales.means == std::vector<double>{1.3125, 1.09375, 1.5625, 1.0});
    const std::vector<double> expected = {0.8076779989575054, 0.6724198372296879,
                                          0.6817945071647321, 0.649519052838329};
    for (std::size_t j = 0; j < expected.size(); ++j)
        CHECK(scales.scales[j] == Approx(expected[j]).epsilon(1e-15));
}

TEST_CASE("standardised features have mean 0 and variance 1") {
    RowTable<double> features(4, 1);
    features << 1, 3, 1, 3;  // mean 2, deviation 1
    standardise(features, feature_scales(features));
    CHECK(features == (RowTable<double>(4, 1) << -1, 1, -1, 1).finished());
}

TEST_CASE("a feature that is constant but for rounding keeps its scale") {
    // The mean of ten 0.1 is one bit off: the variance is not 0, but within the bound.
    RowTable<double> features = RowTable<double>::Constant(10, 3, 0.1);
    features.col(1).array() += 1e15;
    features(3, 2) += 1e-9;
    const auto scales = feature_scales(features);
    CHECK(scales.scales[0] == 1);
    CHECK(scales.scales[1] == 1);
    CHECK(scales.scales[2] == Approx(3e-10).epsilon(1e-5));  // 1e-9 √(0.1 · 0.9)
}

TEST_CASE("in float32 the difference is rounded before it is divided") {
    // Mean 1 + 2^-24 in float64, so that 1 − mean = −2^-24 and (1 + 2^-23) − mean = 2^-24 are
    // exact.
    RowTable<float> features(2, 1);
    features << 1.0F, 1.0F + 0x1p-23F;
    const auto scales = feature_scales(features);
    CHECK(scales.means[0] == 1 + 0x1p-24);
    CHECK(scales.scales[0] == 0x1p-24);
    standardise(features, scales);
    CHECK(features(0, 0) == -1.0F);
    CHECK(features(1, 0) == 1.0F);
}
