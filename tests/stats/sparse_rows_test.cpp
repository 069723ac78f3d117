#include "stats/gram/sparse_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

using namespace ventral::stats;

namespace {

constexpr std::size_t rows = 100;

/// Feature j is j + 1 in every step-th row and zero in the others, with steps[j].
std::vector<float> spread(const std::vector<std::size_t>& steps) {
    std::vector<float> values(rows * steps.size());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < steps.size(); ++j)
            if (i % steps[j] == 0) values[i * steps.size() + j] = static_cast<float>(j + 1);
    return values;
}

FeatureMatrix matrix_of(const std::vector<float>& values, std::size_t row_count = rows) {
    const std::size_t features = values.size() / row_count;
    return {std::span<const float>(values), row_count, features, features};
}

/// Twenty features: the third and the sixth are other than zero in each row, the others in every
/// tenth.
std::vector<std::size_t> two_of_twenty() {
    std::vector<std::size_t> steps(20, 10);
    steps[2] = steps[5] = 1;
    return steps;
}

}  // namespace

TEST_CASE("features that few rows have are laid beside each other") {
    const auto values = spread(two_of_twenty());
    const auto front = layout_of_block(matrix_of(values), SparsePlace::front);
    CHECK(front.sparse_features == 18);
    CHECK(!front.sparse[2]);
    CHECK(front.sparse[3]);
    const std::vector<std::uint16_t> in_front(front.places.begin(), front.places.begin() + 7);
    CHECK(in_front == std::vector<std::uint16_t>{0, 1, 18, 2, 3, 19, 4});
    const auto back = layout_of_block(matrix_of(values), SparsePlace::back);
    const std::vector<std::uint16_t> in_back(back.places.begin(), back.places.begin() + 7);
    CHECK(in_back == std::vector<std::uint16_t>{2, 3, 0, 4, 5, 1, 6});
}

TEST_CASE("a feature that two rows in five have is sparse, and one that more have is not") {
    std::vector<std::size_t> steps(20, 10);
    auto values = spread(steps);
    for (std::size_t i = 0; i < rows; ++i) values[i * 20] = i % 5 < 2 ? 1 : 0;
    CHECK(layout_of_block(matrix_of(values), SparsePlace::front).sparse[0]);
    for (const std::size_t row : {4, 7, 94, 98, 99}) {
        values[row * 20] = 1;
        CHECK(!layout_of_block(matrix_of(values), SparsePlace::front).sparse[0]);
        values[row * 20] = 0;
    }
    // What is not a number is not zero either.
    values[4 * 20] = std::numeric_limits<float>::quiet_NaN();
    CHECK(!layout_of_block(matrix_of(values), SparsePlace::front).sparse[0]);
}

TEST_CASE("features are counted among others that stand beside them") {
    const auto values = spread(two_of_twenty());
    const FeatureMatrix block = columns_of(matrix_of(values), 2, 15);  // from the third to the 17th
    const auto layout = layout_of_block(block, SparsePlace::front);
    CHECK(layout.sparse_features == 13);
    CHECK(!layout.sparse[0]);
    CHECK(layout.sparse[1]);
    CHECK(!layout.sparse[3]);
}

TEST_CASE("nothing is sparse where no time would be saved") {
    // Too few features, and too few rows.
    const auto few = spread(std::vector<std::size_t>(8, 10));
    CHECK(layout_of_block(matrix_of(few), SparsePlace::front).sparse_features == 0);
    const auto values = spread(std::vector<std::size_t>(20, 10));
    const std::vector<float> enough(values.begin(), values.begin() + 96 * 20);
    CHECK(layout_of_block(matrix_of(enough, 96), SparsePlace::back).sparse_features == 20);
    const std::vector<float> short_values(values.begin(), values.begin() + 95 * 20);
    const auto layout = layout_of_block(matrix_of(short_values, 95), SparsePlace::back);
    CHECK(layout.sparse_features == 0);
    CHECK(layout.places[7] == 7);
    CHECK(SparseRows::size(95, 20) == 2);
    CHECK(SparseRows::size(1000, 8) == 2);
}

TEST_CASE("lists have what is not zero, where it lies, and its product with the means") {
    const auto values = spread(two_of_twenty());
    const auto block = matrix_of(values);
    std::vector<double> means(20);
    for (std::size_t j = 0; j < 20; ++j) means[j] = static_cast<double>(j + 1) / 10;
    std::vector<double> memory(SparseRows::size(rows, 20));
    const SparseRows lists(memory, rows, 20);
    // Zeros are passed over, whatever their sign.
    auto negative = values;
    for (auto& value : negative)
        if (value == 0) value = -0.0F;
    lists.fill(matrix_of(negative), layout_of_block(block, SparsePlace::front), 128, means);
    CHECK(lists.features() == 18);
    const auto row = lists.row(20);
    REQUIRE(row.values.size() == 18);
    CHECK(row.values[1] == 2);
    CHECK(row.values[2] == 4);
    CHECK(row.offsets[2] == (128 + 2) * 24);
    CHECK(lists.row(21).values.empty());
    CHECK(lists.row(90).values.size() == 18);
    // Of the squares to 20² those of 3 and 6 are missing.
    CHECK(lists.times_means()[20] == Approx((2870 - 9 - 36) / 10.0));
    CHECK(lists.times_means()[21] == 0);
    CHECK(lists.times_means().size() == 120);
    CHECK(lists.times_means()[119] == 0);
    CHECK(lists.mean_squared() == Approx((2870 - 9 - 36) / 100.0));
}

TEST_CASE("lists have room for as many entries as sparse features can have, and NaN is one") {
    // Forty of a hundred rows, others for each feature.
    const std::size_t features = 128;
    std::vector<float> values(rows * features);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < features; ++j)
            if ((i + j) % 5 < 2) values[i * features + j] = static_cast<float>(i + 1);
    values[1] = std::numeric_limits<float>::quiet_NaN();
    const auto block = matrix_of(values);
    const auto layout = layout_of_block(block, SparsePlace::front);
    REQUIRE(layout.sparse_features == features);
    std::vector<double> memory(SparseRows::size(rows, features) + 1, -7.0);
    const SparseRows lists(std::span<double>(memory).first(memory.size() - 1), rows, features);
    lists.fill(block, layout, 0, std::vector<double>(features));
    CHECK(memory.back() == -7.0);
    std::size_t entries = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const auto row = lists.row(i);
        entries += row.values.size();
        for (std::size_t k = 0; k < row.values.size(); ++k) {
            const auto value = static_cast<double>(values[i * features + row.offsets[k] / 24]);
            CHECK((row.values[k] == value || (std::isnan(value) && std::isnan(row.values[k]))));
        }
    }
    CHECK(entries == 40 * features);
    CHECK(std::isnan(lists.row(0).values[1]));
}

TEST_CASE("sparse features are found also where the first rows have them") {
    std::vector<float> values(1000 * 20);
    std::fill(values.begin(), values.begin() + 300 * 20, 1.0F);
    CHECK(layout_of_block(matrix_of(values, 1000), SparsePlace::front).sparse_features == 20);
}

TEST_CASE("without sparse features lists are empty, whatever the memory had") {
    const auto values = spread(std::vector<std::size_t>(20, 1));
    std::vector<double> memory(SparseRows::size(rows, 20), 3.0);
    const std::vector<double> means(20, 1.0);
    const SparseRows lists(memory, rows, 20);
    lists.fill(matrix_of(values), layout_of_block(matrix_of(values), SparsePlace::front), 0, means);
    CHECK(lists.features() == 0);
    CHECK(lists.mean_squared() == 0);
}
