#include "stats/similarity/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "core/allocator.hpp"
#include "core/portable_random.hpp"
#include "core/private_memory.hpp"
#include "stats/same_bits.hpp"
#include "support/sanitized.hpp"

using namespace ventral::stats;
using ventral::core::PortableRandom;
using ventral::core::Workers;
using ventral::test::same_bits;
using Values = std::vector<double>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Ranks ranks(const Values& values, std::size_t threads = 1) {
    Workers workers(threads);
    return average_ranks(values, workers);
}

double correlation(const Values& x, const Values& y, std::size_t threads = 1) {
    Workers workers(threads);
    return rank_correlation(average_ranks(x, workers).values, average_ranks(y, workers).values,
                            workers);
}

/// Ranks and gap from the counts of each value.
Ranks counted(const Values& values) {
    std::map<double, std::size_t> counts;
    for (const double value : values) ++counts[value];
    std::map<double, double> rank;
    std::size_t below = 0;
    double gap = infinity;
    double last = missing;
    for (const auto& [value, count] : counts) {
        rank[value] = static_cast<double>(2 * below + count + 1) / 2;
        below += count;
        if (!std::isnan(last)) gap = std::min(gap, value - last);
        last = value;
    }
    Ranks result{{}, gap / (counts.rbegin()->first - counts.begin()->first)};
    for (const double value : values) result.values.push_back(rank[value]);
    return result;
}

Values drawn(std::size_t size, double (*form)(double), std::uint64_t seed = 1) {
    PortableRandom random(seed);
    Values values(size);
    for (double& value : values) value = form(random.uniform());
    return values;
}

}  // namespace

TEST_CASE("equal values share the mean of their ranks") {
    const auto found = ranks({3, 1, 4, 1, 5, 1});
    CHECK(found.values == Values{4, 2, 5, 2, 6, 2});
    CHECK(found.gap == 0.25);  // 4 - 3 or 5 - 4, of 5 - 1
    CHECK(ranks({-0.0, 0.0, -1}).values == Values{2.5, 2.5, 1});
    CHECK(ranks({1, infinity, -infinity}).values == Values{2, 3, 1});
}

TEST_CASE("values that are all equal, alone or missing have a rank but no gap") {
    CHECK(ranks({2, 2, 2}).values == Values{2, 2, 2});
    CHECK(ranks({2, 2, 2}).gap == infinity);
    CHECK(ranks({7}).values == Values{1});
    CHECK(ranks({}).values.empty());
}

TEST_CASE("one NaN makes all ranks NaN") {
    for (const double rank : ranks({1, missing, 2}).values) CHECK(std::isnan(rank));
}

TEST_CASE("neighbours that differ in the last bit have different ranks and show in the gap") {
    const double next = std::nextafter(1.0, 2.0);
    const auto found = ranks({next, 1, 3, 1});
    CHECK(found.values == Values{3, 1.5, 4, 1.5});
    CHECK(found.gap == (next - 1) / 2);
}

TEST_CASE("many values of any distribution are ranked like few, by any number of workers") {
    const std::size_t size = 300000;
    const auto forms = {+[](double u) { return u; },                             // even
                        +[](double u) { return std::floor(u * 50); },            // many ties
                        +[](double u) { return u < 0.9 ? 0.5 : u; },             // one heap
                        +[](double u) { return u < 1e-5 ? 1e300 : u * 1e-12; },  // far outliers
                        +[](double u) { return u < 0.1 ? -infinity : u; },       // infinite ones
                        +[](double u) { return u * 1e-310; },                    // denormal ones
                        +[](double u) { return std::floor(u * u * u * 1e5) - 10; }};
    for (const auto form : forms) {
        const auto values = drawn(size, form);
        const auto expected = counted(values);
        for (const std::size_t threads : {1U, 2U, 5U}) {
            const auto found = ranks(values, threads);
            CHECK(same_bits(found.values, expected.values));
            CHECK(found.gap == expected.gap);
        }
    }
}

TEST_CASE("values that are mostly equal take no more memory than others") {
    if (ventral::test::has_address_sanitizer) return;
    const std::size_t size = 4'000'000;
    const auto rise = [&](double (*form)(double)) {
        auto values = drawn(size, form);
        Workers workers(1);
        ventral::core::give_back_freed_memory();
        std::ofstream("/proc/self/clear_refs") << "5";
        const double before = ventral::core::own_memory("VmRSS");
        const auto found = average_ranks(std::move(values), workers);
        CHECK(found.values.size() == size);
        return (ventral::core::own_memory("VmHWM") - before) / static_cast<double>(size);
    };
    const double allowed = 11;  // bytes a value: ten, and the buckets' places
    CHECK(rise(+[](double u) { return u; }) < allowed);
    CHECK(rise(+[](double) { return 0.5; }) < allowed);
    CHECK(rise(+[](double u) { return u < 0.9 ? 0.5 : u; }) < allowed);
    CHECK(rise(+[](double u) { return u < 0.5 ? 0.5 : 0.7; }) < allowed);
}

TEST_CASE("Spearman's correlation worked out by hand and by scipy") {
    // Ranks as the values: deviations (-1, 0, 1) and (-1, 1, 0), 1 / 2.
    CHECK(correlation({1, 2, 3}, {10, 30, 20}) == Approx(0.5).epsilon(1e-15));
    // scipy.stats.spearmanr, with ties on both sides.
    CHECK(correlation({0, 2.5, 1, 1, 2.5, 0, 1.75, 2.25, 1.5, 2.25, 1.75, 0},
                      {0.5, 1.125, 0.625, 0.625, 1.125, 0.5, 0.375, 0.75, 0, 1.375, 0, 0.75}) ==
          Approx(0.4687008463522443).epsilon(1e-14));
    CHECK(correlation({1, 4, 9}, {3, 5, 8}) == Approx(1).epsilon(1e-15));
    CHECK(correlation({1, 4, 9}, {3, 2, -8}) == Approx(-1).epsilon(1e-15));
}

TEST_CASE("what has no order has no correlation") {
    CHECK(std::isnan(correlation({1, 2, 3}, {5, 5, 5})));
    CHECK(std::isnan(correlation({1, 2, 3}, {5, missing, 6})));
    CHECK(std::isnan(correlation({1}, {1})));
    CHECK(std::isnan(correlation({}, {})));
    Workers workers(1);
    CHECK_THROWS_AS(rank_correlation(Values{1, 2}, Values{1}, workers), std::invalid_argument);
}

TEST_CASE("a correlation has the same bits on any number of workers and at any address") {
    const auto x = ranks(drawn(
                             200000, [](double u) { return u; }, 1))
                       .values;
    const auto y = ranks(drawn(
                             200000, [](double u) { return std::floor(u * 99); }, 2))
                       .values;
    Workers one(1);
    const double expected = rank_correlation(x, y, one);
    CHECK(std::abs(expected) < 0.01);  // independent: 4 / √200000
    Values moved(x.size() + 3);
    for (const std::size_t threads : {2U, 5U}) {
        Workers workers(threads);
        CHECK(rank_correlation(x, y, workers) == expected);
        for (const std::size_t shift : {1U, 3U}) {
            std::copy(x.begin(), x.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
            CHECK(rank_correlation(std::span(moved).subspan(shift, x.size()), y, workers) ==
                  expected);
        }
    }
}
