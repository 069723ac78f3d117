#include "metrics/memory_plan.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::metrics;
using Catch::Matchers::Contains;

namespace {

constexpr double mebibyte = 1 << 20;

ProblemSize wide() { return {2560, 263168, 168, 2, sizeof(float)}; }

}  // namespace

TEST_CASE("a layer of any width is streamed in memory that does not depend on the width") {
    auto wider = wide();
    wider.features *= 100;
    const auto need = memory_need(wide(), Keep::two_slabs, 0);
    CHECK(need.total() == memory_need(wider, Keep::two_slabs, 0).total());
    CHECK(need.gram == 8 * (2560.0 * 2560 + 4 * 2560));
    CHECK(need.reading == 2 * 4.0 * 2560 * 4096);
    // Three panels of 256 features in 107 strips of 24 rows, their means, and four numbers of each
    // row for either half of a panel; lists of either half's sparse features, 128 in 1024 rows at
    // most: two numbers, one for each row of the strips, values, where rows begin (four bytes
    // each), where features lie (two). Counts of tasks in two steps of two lanes, of panels, and of
    // 105 tiles.
    const int values = 128 * 1024;
    const int lists = 2 + 2568 + values + 2562 / 2 + values / 4;
    CHECK(need.panels ==
          8.0 * (3 * (2568 * 256 + 256 + 2 * 4 * 2560 + 2 * lists) + 4 + 3 + 105 + 1));
    CHECK(need.total() < 500 * mebibyte);
    CHECK(what_to_keep(wide(), {}, 500 * mebibyte) == Keep::two_slabs);
}

TEST_CASE("targets beyond the rows take less memory than those up to them") {
    // m = n: 20 n² in the fits of 5 folds; each target more adds 10 n there.
    const auto need = [](std::size_t neuroids) {
        return memory_need({1000, 9216, neuroids, 2, sizeof(float)}, Keep::two_slabs, 0);
    };
    CHECK(need(1000).fits - need(0).fits == Approx(8 * 20 * 1e6));
    CHECK(need(20000).fits - need(1000).fits == Approx(8 * 10 * 1e3 * 19000));
}

TEST_CASE("few targets are fitted in ten folds at a time") {
    const auto need = [](std::size_t neuroids) {
        return memory_need({1000, 9216, neuroids, 2, sizeof(float)}, Keep::two_slabs, 0);
    };
    CHECK(need(500).fits - need(0).fits == Approx(8 * 40 * 1e3 * 500));
}

TEST_CASE("without a Gram no matrix of its size is fitted") {
    ProblemSize size{1000, 9216, 5, 2, sizeof(float)};
    const auto with_gram = memory_need(size, Keep::two_slabs, 0);
    size.has_gram = false;
    const auto without = memory_need(size, Keep::two_slabs, 0);
    CHECK(without.gram == 0);
    CHECK(with_gram.fits - without.fits == 8 * 2 * 1e6);
}

TEST_CASE("few features take no memory of a Gram") {
    ProblemSize size{8000, 60, 5, 2, sizeof(float)};
    auto need = memory_need(size, Keep::two_slabs, 0);
    CHECK(need.gram == 8 * (8000.0 * 60 + 4 * 8000));
    // Sums, means, and four numbers of each row.
    CHECK(need.panels == 8 * (4.0 * 8000 + 1 + 60 + 4 * 8000));
    CHECK(need.total() < 100 * mebibyte);
    size.compared = Compared::kernels;
    need = memory_need(size, Keep::two_slabs, 0);
    CHECK(need.fits == 8 * 8000.0 * (60 + 2 * 5 + 64 * 2));
    size.neuroids = 8001;
    CHECK(memory_need(size, Keep::two_slabs, 0).fits == 8 * (4 * 64e6 + 2 * 8000.0 * 8001));
    size.neuroids = 5;
    size.compared = Compared::dissimilarities;
    CHECK(memory_need(size, Keep::two_slabs, 0).fits == 8 * (4 * 64e6 + 2 * 8000.0 * 5));
}

TEST_CASE("what is needed for a Gram only is read in long blocks if two of them fit") {
    const auto need = memory_need(wide(), Keep::two_long_blocks, 0);
    CHECK(need.reading == 2 * 4.0 * 2560 * 2 * 4096);
    CHECK(what_to_keep(wide(), {}, need.total()) == Keep::two_long_blocks);
    CHECK(what_to_keep(wide(), {}, 1e12) == Keep::two_long_blocks);
    CHECK(what_to_keep(wide(), {}, need.total() - 1) == Keep::two_slabs);
    CHECK(what_to_keep(wide(), {0, 1}, need.total()) == Keep::two_slabs);
}

TEST_CASE("what is read again is kept if it fits") {
    ProblemSize size = wide();
    size.reads_again = true;
    const auto need = memory_need(size, Keep::everything, 0);
    CHECK(need.reading == 4.0 * 2560 * 263168);
    CHECK(what_to_keep(size, {}, need.total()) == Keep::everything);
    CHECK(what_to_keep(size, {}, need.total() - 1) == Keep::two_slabs);
}

TEST_CASE("too little memory is refused with what would be enough") {
    const double least = memory_need(wide(), Keep::two_slabs, 1000).total();
    CHECK(what_to_keep(wide(), {1000, 1000}, least) == Keep::two_slabs);
    CHECK_THROWS_WITH(what_to_keep(wide(), {1000, 1000}, least - 1),
                      Contains("--memory") && Contains("263168 features"));
    CHECK_THROWS_WITH(
        what_to_keep(wide(), {1000, 1000}, 100 * mebibyte),
        Contains("100 MiB") &&
            Contains("give --memory " + std::to_string(static_cast<int>(least / mebibyte) + 1)));
}
