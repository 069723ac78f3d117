#include "metrics/memory_plan.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/fit_buffers.hpp"

using namespace ventral::metrics;
using Catch::Matchers::Contains;

namespace {

constexpr double mebibyte = 1 << 20;

/// So many random rows, a tenth of which each of the folds tests.
RegressionPlan plan_of(Eigen::Index rows, Eigen::Index neuroids, std::size_t folds) {
    RegressionPlan plan;
    plan.targets = ventral::stats::Matrix::Zero(rows, neuroids);
    plan.folds.resize(folds);
    for (Eigen::Index row = 0; row < rows; ++row)
        for (auto& fold : plan.folds) (row % 10 == 0 ? fold.test : fold.train).push_back(row);
    return plan;
}

double fits_of(const std::string& metric, const RegressionPlan& plan, std::size_t features,
               std::size_t threads = 2) {
    MetricOptions options;
    options.name = metric;
    options.n_components = 25;
    return fitting_bytes(plan, options, features, threads);
}

ProblemSize wide() {
    return {2560, 263168, 168, sizeof(float), fits_of("pls", plan_of(2560, 168, 10), 263168)};
}

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

TEST_CASE("fits take the buffers of the folds that are fitted together") {
    MetricOptions options;
    options.name = "pls";
    options.n_components = 25;
    const auto plan = plan_of(1000, 100, 20);
    const auto buffers = fit_buffers(options, plan, 9216);
    // Two groups of five folds; for each worker a matrix like the Gram, should it lose digits; the
    // features in small form and a slab.
    const double square = 8e6;
    CHECK(fits_of("pls", plan, 9216, 3) ==
          Approx(2 * buffers.group + 3 * square + square + 8 * 1000.0 * 4096));
    CHECK(fits_of("pls", plan, 9216, 16) - fits_of("pls", plan, 9216, 3) == Approx(7 * square));
    // One group of five where that many neuroids would take much.
    const auto many = plan_of(1000, 800, 20);
    CHECK(fits_of("pls", many, 9216, 1) ==
          Approx(fit_buffers(options, many, 9216).group + 2 * square + 8 * 1000.0 * 4096));
    // A split alone has no others beside it.
    CHECK(fits_of("pls", plan_of(1000, 100, 1), 9216, 4) < 0.6 * fits_of("pls", plan, 9216, 4));
}

TEST_CASE("without a Gram no matrix of its size is fitted") {
    const auto plan = plan_of(1000, 5, 2);
    MetricOptions options;
    options.name = "neuron_to_neuron";
    const auto buffers = fit_buffers(options, plan, 9216);
    // Without two slabs as they are read.
    CHECK(fits_of("neuron_to_neuron", plan, 9216) ==
          Approx(buffers.group + 2 * buffers.fold - 8 * 1000.0 * 2 * 4096));
    ProblemSize size{1000, 9216, 5, sizeof(float)};
    size.has_gram = false;
    CHECK(memory_need(size, Keep::two_slabs, 0).gram == 0);
}

TEST_CASE("comparisons keep the recordings as they were read and centred") {
    const auto plan = plan_of(1000, 50, 1);
    MetricOptions options;
    options.name = "cka";
    const auto buffers = fit_buffers(options, plan, 9216);
    CHECK(fits_of("cka", plan, 9216, 1) ==
          Approx(buffers.group + buffers.fold + 8 * 2 * 1000.0 * 50));
}

TEST_CASE("few features take no memory of a Gram") {
    const ProblemSize size{8000, 60, 5, sizeof(float), 1e6};
    const auto need = memory_need(size, Keep::two_slabs, 0);
    CHECK(need.gram == 8 * (8000.0 * 60 + 4 * 8000));
    // Sums, means, and four numbers of each row.
    CHECK(need.panels == 8 * (4.0 * 8000 + 1 + 60 + 4 * 8000));
    CHECK(need.total() < 100 * mebibyte);
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
