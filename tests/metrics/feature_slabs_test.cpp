#include "metrics/feature_slabs.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::size_t slab = stats::slab_features;

/// Value 1000000 · (stimulus + `base`) + feature, exact in float32 for the sizes here.
template <typename T>
core::Assembly table(std::size_t rows, std::size_t columns, std::size_t base = 0) {
    core::Assembly assembly;
    assembly.dims = {{"presentation", rows}, {"neuroid", columns}};
    std::vector<T> values;
    std::vector<std::string> stimuli;
    for (std::size_t i = 0; i < rows; ++i) {
        stimuli.push_back("s" + std::to_string(base + i));
        for (std::size_t j = 0; j < columns; ++j)
            values.push_back(static_cast<T>(1000000 * (base + i) + j));
    }
    assembly.values = values;
    assembly.coordinates = {{"stimulus_id", "presentation", stimuli}};
    return assembly;
}

/// `stimuli` are those that the rows must have.
void check_slab(const stats::FeatureMatrix& found, std::size_t first, std::size_t count,
                const std::vector<std::size_t>& stimuli) {
    CAPTURE(first, count);
    REQUIRE(found.rows == stimuli.size());
    REQUIRE(found.features == count);
    std::size_t wrong = 0;
    std::visit(
        [&](const auto& values) {
            for (std::size_t i = 0; i < stimuli.size(); ++i)
                for (std::size_t j = 0; j < count; ++j)
                    wrong += static_cast<double>(values[i * found.stride + j]) !=
                             static_cast<double>(1000000 * stimuli[i] + first + j);
        },
        found.values);
    CHECK(wrong == 0);
}

void check_all(FeatureSlabs& slabs, const std::vector<std::size_t>& stimuli) {
    for (std::size_t first = 0; first < slabs.features(); first += slab) {
        const auto count = std::min(slab, slabs.features() - first);
        check_slab(slabs.read(first, count), first, count, stimuli);
    }
}

}  // namespace

TEST_CASE("slabs have the rows in the order that was asked for, as often as they are read") {
    const auto keep = GENERATE(Keep::two_slabs, Keep::two_long_blocks, Keep::everything);
    const std::vector<std::size_t> order{3, 0, 1, 4, 2};
    for (const std::size_t columns : {1UL, slab, 2 * slab + 7, 9 * slab + 1}) {
        const auto single = table<float>(5, columns);
        const auto features = features_in_memory(single);
        FeatureSlabs slabs({{features, order}}, keep);
        CHECK(slabs.rows() == 5);
        CHECK(slabs.features() == columns);
        check_all(slabs, order);
        check_all(slabs, order);
        const std::size_t last = (columns - 1) / slab * slab;
        check_slab(slabs.read(last, 1), last, 1, order);
        check_slab(slabs.read(0, 1), 0, 1, order);
        CHECK(slabs.waited_s() > 0);
    }
}

TEST_CASE("rows of several sources stand one below the other") {
    const auto first = table<double>(2, slab + 5);
    const auto second = table<double>(3, slab + 5, 2);
    const auto above = features_in_memory(first);
    const auto below = features_in_memory(second);
    FeatureSlabs slabs({{above, {1, 0}}, {below, {2, 1, 0}}}, Keep::two_slabs);
    check_all(slabs, {1, 0, 4, 3, 2});
}

TEST_CASE("sources of different types are float64 together, whole numbers too") {
    const auto singles = table<float>(2, 5);
    auto integers = table<double>(2, 5, 2);
    integers.values = std::vector<std::int64_t>{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    const auto first = features_in_memory(singles);
    const auto second = features_in_memory(integers);
    FeatureSlabs slabs({{first, {1, 0}}, {second, {0, 1}}}, Keep::everything);
    const auto read = slabs.read(0, 5);
    const auto values = std::get<std::span<const double>>(read.values);
    const auto expected = core::as_float64(singles.values);
    CHECK(values[0] == expected[5]);
    CHECK(values[read.stride + 4] == expected[4]);
    CHECK(values[2 * read.stride] == 10);
    CHECK(values[3 * read.stride + 4] == 19);
}

TEST_CASE("sources of different widths do not go together") {
    const auto doubles = table<double>(2, 5);
    const auto wider = table<double>(2, 6);
    const auto model = features_in_memory(doubles);
    auto odd = features_in_memory(wider);
    odd.place = "test.nc";
    CHECK_THROWS_WITH(FeatureSlabs({{model, {0, 1}}, {odd, {0, 1}}}, Keep::everything),
                      StartsWith("test.nc: ") && Contains("do not go together"));
    const auto none = table<double>(2, 0);
    const auto empty = features_in_memory(none);
    CHECK_THROWS_WITH(FeatureSlabs({{empty, {0, 1}}}, Keep::everything), Contains("empty"));
}

TEST_CASE("a value that is not finite is named with its file, stimulus and feature") {
    const double odd =
        GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
    auto values = table<double>(4, 2 * slab);
    std::get<std::vector<double>>(values.values)[2 * slab * 2 + slab + 1] = odd;
    auto features = features_in_memory(values);
    features.place = "model.nc";
    FeatureSlabs slabs({{features, {3, 2, 1, 0}}}, Keep::two_slabs);
    CHECK_NOTHROW(slabs.read(0, slab));
    CHECK_THROWS_WITH(slabs.read(slab, slab),
                      StartsWith("model.nc: feature 4097 ") && Contains("'s2'"));
    CHECK_THROWS_AS(slabs.read(slab, slab), core::InputError);
    CHECK_NOTHROW(slabs.read(0, slab));
}

TEST_CASE("odd entries are zeroed, and their rows told in the order of the slabs, or kept") {
    auto values = table<float>(4, 2 * slab);
    auto& numbers = std::get<std::vector<float>>(values.values);
    numbers[2 * slab * 2 + slab + 1] = std::numeric_limits<float>::quiet_NaN();
    numbers[0] = -std::numeric_limits<float>::infinity();
    const auto features = features_in_memory(values);
    FeatureSlabs zeroed({{features, {3, 2, 1, 0}}}, Keep::two_slabs, OddEntries::zeroed);
    const auto at = [](const stats::FeatureMatrix& read, std::size_t row, std::size_t column) {
        return std::get<std::span<const float>>(read.values)[row * read.stride + column];
    };
    CHECK(at(zeroed.read(0, slab), 3, 0) == 0);
    CHECK(at(zeroed.read(0, slab), 3, 1) == numbers[1]);
    CHECK(at(zeroed.read(slab, slab), 1, 1) == 0);
    CHECK(zeroed.odd_rows() == std::vector<char>{0, 1, 0, 1});
    FeatureSlabs kept({{features, {3, 2, 1, 0}}}, Keep::two_slabs, OddEntries::kept);
    CHECK(std::isinf(at(kept.read(0, slab), 3, 0)));
    CHECK(std::isnan(at(kept.read(slab, slab), 1, 1)));
}

TEST_CASE("a source is read by one thread at a time, each block once if everything is kept") {
    const auto values = table<float>(3, 10 * slab);
    auto features = features_in_memory(values);
    const auto read = std::get<ReadInto<float>>(features.read);
    int readers = 0;  // no lock: the thread sanitizer sees if two threads come at once
    int calls = 0;
    features.read =
        ReadInto<float>([&](std::size_t first, std::size_t count, std::span<float> out) {
            CHECK(++readers == 1);
            ++calls;
            read(first, count, out);
            --readers;
        });
    const std::vector<std::size_t> order{0, 1, 2};
    {
        FeatureSlabs slabs({{features, order}}, Keep::everything);
        check_all(slabs, order);
        check_all(slabs, order);
    }
    CHECK(calls == 5);  // 10 slabs in blocks of 2
    calls = 0;
    {
        FeatureSlabs slabs({{features, order}}, Keep::two_slabs);
        check_all(slabs, order);
        check_all(slabs, order);
    }
    CHECK(calls == 20);
    calls = 0;
    {
        FeatureSlabs slabs({{features, order}}, Keep::two_long_blocks);
        check_all(slabs, order);
        check_all(slabs, order);
    }
    CHECK(calls == 10);
}
