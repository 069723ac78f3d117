#include "stats/folds/random_state.hpp"

#include <numeric>
#include <set>

#include <catch2/catch.hpp>

#include "support/golden.hpp"

using namespace ventral::stats;
using Numbers = std::vector<std::size_t>;
using Words = std::vector<std::uint64_t>;

namespace {

std::vector<std::uint64_t> intervals(std::uint32_t seed, std::uint64_t max, std::size_t count) {
    RandomState random(seed);
    std::vector<std::uint64_t> drawn(count);
    for (auto& value : drawn) value = random.interval(max);
    return drawn;
}

Numbers first_of_permutation(std::uint32_t seed, std::size_t n, std::size_t count) {
    auto order = RandomState(seed).permutation(n);
    order.resize(count);
    return order;
}

/// Compares everything that the golden has of one seed's `RandomState`.
void check_stream(std::uint32_t seed, const nlohmann::json& expected) {
    RandomState words(seed);
    for (const auto& word : expected.at("randint32_raw")) CHECK(words.next_word() == word);
    RandomState random(seed);
    CHECK(random.permutation(10) == expected.at("permutation_10").get<Numbers>());
    CHECK(random.permutation(7) == expected.at("then_permutation_7").get<Numbers>());
    CHECK(first_of_permutation(seed, 1000, 20) ==
          expected.at("permutation_1000_first20").get<Numbers>());
    CHECK(first_of_permutation(seed, 20, 7) ==
          expected.at("choice_7_of_20_noreplace").get<Numbers>());

    Numbers shuffled(13);
    std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
    RandomState(seed).shuffle(shuffled);
    CHECK(shuffled == expected.at("shuffle_list_13").get<Numbers>());
    CHECK(intervals(seed, 16, 20) == expected.at("randint_0_17_x20").get<Words>());
    CHECK(intervals(seed, 19, 50) == expected.at("choice_50_of_20_replace").get<Words>());

    // One of the array 10 … 14.
    CHECK(10 + first_of_permutation(seed, 5, 1).front() ==
          expected.at("choice_scalar_of_5_noreplace").get<std::size_t>());
    CHECK(intervals(seed, 2147483646, 3) == expected.at("randint_int32max_x3").get<Words>());
}

}  // namespace

TEST_CASE("words are those of the Mersenne Twister") {
    // np.random.RandomState(1).randint(0, 2**32, 5, dtype=np.uint32)
    RandomState random(1);
    for (const std::uint32_t word : {1791095845U, 4282876139U, 3093770124U, 4005303368U, 491263U})
        CHECK(random.next_word() == word);
    // The 10000th word of seed 5489, which the C++ standard demands of std::mt19937.
    RandomState standard(5489);
    std::uint32_t word = 0;
    for (int i = 0; i < 10000; ++i) word = standard.next_word();
    CHECK(word == 4123659995U);
}

TEST_CASE("permutations are NumPy's, one after the other") {
    // r = np.random.RandomState(1); r.permutation(10); r.permutation(7)
    RandomState random(1);
    CHECK(random.permutation(10) == Numbers{2, 9, 6, 4, 0, 3, 1, 7, 8, 5});
    CHECK(random.permutation(7) == Numbers{6, 3, 0, 2, 1, 4, 5});
}

TEST_CASE("integers are drawn by rejection under a mask, wide ones from two words") {
    // np.random.RandomState(1).randint(0, 17, 12)
    CHECK(intervals(1, 16, 12) == Words{5, 11, 12, 8, 9, 11, 5, 15, 0, 16, 1, 12});
    // np.random.RandomState(1).randint(0, 2**40 + 1, 4)
    CHECK(intervals(1, std::uint64_t{1} << 40U, 4) ==
          Words{163196666091, 1095766950793, 876169207429, 620178591873});
}

TEST_CASE("an interval of one number draws nothing") {
    RandomState random(1);
    CHECK(random.interval(0) == 0);
    CHECK(random.permutation(1) == Numbers{0});
    CHECK(random.permutation(0).empty());
    CHECK(random.next_word() == 1791095845U);
}

TEST_CASE("a permutation has every number once") {
    const auto order = RandomState(7).permutation(1000);
    CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 1000);
    CHECK(order != RandomState(8).permutation(1000));
}

TEST_CASE("streams equal NumPy's for several seeds") {
    const auto expected = ventral::test::golden("random_streams/expected.random.json");
    if (!expected) return;
    for (const std::uint32_t seed : {0U, 1U, 7U, 1234567890U})
        check_stream(seed, expected->at(std::to_string(seed)));

    // np.random.seed(5); choice of the floats 0 … 5, then, one after the other, integers below 9.
    RandomState global(5);
    const auto& seeded = expected->at("global_seed");
    for (const auto& value : seeded.at("choice_of_6_floats")) CHECK(global.interval(5) == value);
    for (const auto& value : seeded.at("randint_0_9_x10")) CHECK(global.interval(8) == value);
}
