#include "stats/folds/pcg64.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "support/golden.hpp"

using namespace ventral::stats;
using Numbers = std::vector<std::size_t>;

TEST_CASE("a seed becomes a state as NumPy's SeedSequence makes it") {
    // np.random.SeedSequence(12345678901).generate_state(4, np.uint64)
    const auto state = seed_sequence_state(12345678901);
    CHECK(state[0] == 0xbf6a25913a156644U);
    CHECK(state[1] == 0xffcac18a7b5b3482U);
    CHECK(state[2] == 0xd6edc2968659ab28U);
    CHECK(state[3] == 0x032120317c2138b8U);
}

TEST_CASE("words are NumPy's PCG64") {
    // np.random.default_rng(1).bit_generator.random_raw(4)
    Pcg64 random(1);
    for (const std::uint64_t word :
         {9441442522235856127U, 17532960557476522086U, 2659275481604167885U, 17499493567006797778U})
        CHECK(random.next() == word);
}

TEST_CASE("small integers take half words, whole words leave the kept half alone") {
    // g = np.random.default_rng(3); g.integers(0, 1000, 6); g.random(); g.integers(0, 7, 3)
    Pcg64 random(3);
    CHECK(random.integers(1000, 6) == Numbers{811, 85, 179, 236, 181, 801});
    CHECK(static_cast<double>(random.next() >> 11U) * 0x1p-53 == 0.5821620360643678);
    CHECK(random.integers(7, 3) == Numbers{0, 0, 2});

    Pcg64 kept(3);
    const auto word = Pcg64(3).next();
    CHECK(kept.next_half() == static_cast<std::uint32_t>(word));
    kept.next();
    CHECK(kept.next_half() == static_cast<std::uint32_t>(word >> 32U));
}

TEST_CASE("wide integers take whole words") {
    // np.random.default_rng(3).integers(0, 2**33 + 5, 4) and integers(0, 2**32, 4)
    CHECK(Pcg64(3).integers((std::size_t{1} << 33U) + 5, 4) ==
          Numbers{735720744, 2034186763, 6882895250, 5000733814});
    CHECK(Pcg64(3).integers(std::size_t{1} << 32U, 4) ==
          Numbers{3485385464, 367860371, 770692085, 1017093381});
}

TEST_CASE("one of one is drawn without a number") {
    Pcg64 random(3);
    CHECK(random.integers(1, 3) == Numbers{0, 0, 0});
    CHECK(random.interval(0) == 0);
    CHECK(random.permutation(Numbers{4}) == Numbers{4});
    CHECK(random.integers(1000, 2) == Numbers{811, 85});
}

TEST_CASE("permutations are NumPy's") {
    // np.random.default_rng(3).permutation([5, 6, 7, 8, 9])
    CHECK(Pcg64(3).permutation(Numbers{5, 6, 7, 8, 9}) == Numbers{9, 7, 6, 8, 5});
}

TEST_CASE("a wide interval is drawn under a mask") {
    Pcg64 random(3);
    const std::uint64_t max = (std::uint64_t{1} << 40U) + 1;
    std::set<std::uint64_t> drawn;
    for (int i = 0; i < 100; ++i) drawn.insert(random.interval(max));
    CHECK(drawn.size() == 100);
    CHECK(*drawn.rbegin() <= max);
}

TEST_CASE("streams equal NumPy's default_rng for several seeds") {
    const auto golden = ventral::test::golden("random_streams/expected.random.json");
    if (!golden) return;
    const Numbers nine = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (const std::uint64_t seed : {0U, 1U, 7U, 1234567890U}) {
        const auto& expected = golden->at(std::to_string(seed));
        CHECK(Pcg64(seed).integers(17, 20) ==
              expected.at("generator_integers_0_17_x20").get<Numbers>());
        CHECK(Pcg64(seed).permutation(nine) ==
              expected.at("generator_permutation_array_9").get<Numbers>());
        CHECK(Pcg64(seed).permutation(nine) ==
              expected.at("generator_permutation_int_9").get<Numbers>());
    }
}
