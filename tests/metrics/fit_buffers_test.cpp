#include "metrics/fit_buffers.hpp"

#include <catch2/catch.hpp>

using namespace ventral;
using metrics::FitBuffers;

namespace {

/// Ten rows and four targets; two folds that train on eight rows and test on the others.
metrics::RegressionPlan ten_rows() {
    metrics::RegressionPlan plan;
    plan.targets = stats::Matrix::Zero(10, 4);
    plan.folds = {{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}, {{2, 3, 4, 5, 6, 7, 8, 9}, {0, 1}}};
    return plan;
}

FitBuffers buffers_of(const std::string& metric, std::size_t features,
                      const metrics::RegressionPlan& plan = ten_rows()) {
    metrics::MetricOptions options;
    options.name = metric;
    options.n_components = 3;
    return metrics::fit_buffers(options, plan, features);
}

/// Two predictions of two rows and four targets.
constexpr double results = 2 * 2 * 4;

}  // namespace

TEST_CASE("pls keeps K Y and its products of every fold of a group") {
    const auto buffers = buffers_of("pls", 100);
    // Y, K Y and 4 × 4; of both folds K Y, half of 4 × 4, three components; pairs of tiles of 128
    // columns; then results.
    CHECK(buffers.group ==
          8 * (2 * 40 + 16 + 2 * (40 + 8 + 3 * (30 + 8 + 4)) + 2 * 100 / 256.0 + results));
    CHECK(buffers.fold == 8 * (10 * 2 + 2 * 4));  // the columns of the rows that it leaves out
    CHECK(buffers.groups == 1);
    CHECK(buffers.folds_a_group == 2);
}

TEST_CASE("pls on few features keeps products with them in place of a Gram's") {
    const auto buffers = buffers_of("pls", 5);
    CHECK(buffers.group ==
          8 * (2 * 40 + 16 + 2 * (40 + 8 + 3 * (30 + 8 + 4)) + 2 * (10 + 5) + results));
    // Of the two rows that a fold leaves out.
    CHECK(buffers.fold == 8 * (5 * (2 + 4) + 2 * 4));
}

TEST_CASE("pls on features that are few beside the targets keeps a copy of them") {
    const auto buffers = buffers_of("pls", 1);
    CHECK(buffers.rank == 8 * 10);
    CHECK(buffers.group == 8 * results);
    // X and L, three scores; a block of targets, their loadings and a copy of the scores.
    CHECK(buffers.fold == 8 * ((8 + 1) * 1 + 3 * 8 + (8 * 4 + 4 * 3 + 8 * 3)));
}

TEST_CASE("a ridge that its folds share keeps the inverse of the rows held out") {
    const auto buffers = buffers_of("ridge", 100);
    CHECK(buffers.task == 8 * 4 * (4 + 4));
    CHECK(buffers.making == 8 * (10 * 14 + 16 + 32));
    CHECK(buffers.fold == 8 * (4 * 2 + 2 * 4));
    CHECK(buffers.group == 8 * results);
}

TEST_CASE("a ridge of each fold keeps its kernel, and its right sides for least squares") {
    auto plan = ten_rows();
    plan.folds[0].train.pop_back();
    const auto buffers = buffers_of("ridge", 100, plan);
    CHECK(buffers.making == 0);
    CHECK(buffers.fold == 8 * 8 * (8 + 2 + 4 + 2));
    CHECK(buffers.group == 8 * results);
}

TEST_CASE("regressions on few features keep a copy of them") {
    const auto ridge = buffers_of("ridge", 6);
    CHECK(ridge.rank == 8 * 60);
    CHECK(ridge.task == 8 * 36);  // products that its folds share
    CHECK(ridge.fold == 8 * (8 * (6 + 4) + 6 * (4 + 6 + 3) + 2 * 6));  // 2 · 6 > 14 · 6 / 16
    const auto linear = buffers_of("linear_predictivity", 100);
    CHECK(linear.rank == 8 * 100);
    CHECK(linear.fold == 8 * (10 * (8 + 2) + 2 * 10 + 2 * 8 * 4));
}

TEST_CASE("what needs columns holds slabs of them") {
    const auto buffers = buffers_of("neuron_to_neuron", 100);
    CHECK(buffers.group == 8 * (2 * 10 * 100 + 40 + 10 * 16 + results));
    constexpr double slab = 4096;
    CHECK(buffers_of("neuron_to_neuron", 5000).group ==
          8 * (10 * (2 * slab + 5000 - slab) + 40 + 10 * 16 + results));
    CHECK(buffers_of("neuron_to_neuron", 10000).group ==
          8 * (10 * 3 * slab + 40 + 10 * 16 + results));
    CHECK(buffers.fold == 8 * (256 + 512) * 8);
}

TEST_CASE("comparisons hold products of all rows with all others") {
    CHECK(buffers_of("cka", 100).group == 8 * 2 * 4);
    auto wide = ten_rows();
    wide.targets = stats::Matrix::Zero(10, 20);
    // K of the targets and its copy; six panels of a strip of 24 rows of 20, 20 means, 4 sums a
    // row, and two numbers that say that none are sparse; the second sum of K and 41 numbers beside
    // it; 14 counts.
    CHECK(buffers_of("cka", 100, wide).group ==
          8 * (100 + 6 * (480 + 20 + 40 + 2) + (100 + 41) + 14 + 200));
    // So few rows are compared as NumPy does it: products of the features, three slabs of reading
    // and centring them, and what making them takes.
    CHECK(buffers_of("rdm", 100).group == 8 * (100 + 3 * 1000 + 50 + 2 * 1000));
}

TEST_CASE("time bins that are averaged are fitted once") {
    auto plan = ten_rows();
    const auto once = buffers_of("spantime_ridge", 100, plan);
    plan.averages = plan.targets;
    plan.targets = stats::Matrix::Zero(10, 3 * 4);
    plan.time_bins = 3;
    plan.time_layout = metrics::TimeLayout::averaged;
    const auto buffers = buffers_of("spantime_ridge", 100, plan);
    CHECK(buffers.making == once.making);
    CHECK(buffers.group == once.group);
    CHECK(buffers.fold == 8 * 2 * 12);  // all bins are compared
}

TEST_CASE("ridge on few features counts their decomposition where alpha is lost in rounding") {
    metrics::MetricOptions options;
    options.name = "ridge";
    options.alpha = 1e-5;
    const auto solved = metrics::fit_buffers(options, ten_rows(), 6).fold;
    CHECK(solved == buffers_of("ridge", 6).fold);
    options.alpha = 0;
    // A copy of 8 × 6, its left and right vectors, and four squares of six.
    CHECK(metrics::fit_buffers(options, ten_rows(), 6).fold ==
          solved + 8 * (48 + 6 * (8 + 6) + 4 * 36));
}
