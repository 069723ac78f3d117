#include "pipeline/outlook/fit_flops.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

/// Ten rows and four targets; two folds that train on eight rows and test on the others.
metrics::RegressionPlan ten_rows() {
    metrics::RegressionPlan plan;
    plan.targets = stats::Matrix::Zero(10, 4);
    plan.folds = {{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}, {{2, 3, 4, 5, 6, 7, 8, 9}, {0, 1}}};
    return plan;
}

pipeline::FitFlops flops_of(const std::string& metric, std::size_t features) {
    metrics::MetricOptions options;
    options.name = metric;
    options.n_components = 3;
    options.alphas = {1, 10};
    return pipeline::fit_flops(options, ten_rows(), features);
}

}  // namespace

TEST_CASE(
    "pls multiplies what a fold leaves out by the Gram and iterates over products of targets") {
    const auto flops = flops_of("pls", 100);
    // q = 4: of each of two folds K Y and G for the two rows left out, 2·2·2·4 + 2·2·2·4·4; three
    // components of 2·2·10·10 + 6·10·4 + 40·2·4·4.
    CHECK(flops.products == 2 * (32 + 128));
    CHECK(flops.passes == 2 * 3 * (400 + 240 + 1280));
    // Once K Y and the lower triangle of Yᵀ K Y of all rows, 2·10·10·4 + 10·4·4.
    CHECK(flops.shared == 960);
    CHECK(flops.total() == 320 + 11520 + 960);
}

TEST_CASE("cka of few features and targets multiplies these") {
    auto plan = ten_rows();
    plan.targets = stats::Matrix::Zero(10, 1);
    plan.folds = {{{}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
    metrics::MetricOptions options;
    options.name = "cka";
    CHECK(pipeline::fit_flops(options, plan, 5).total() == 10 * 6 * 6);
    CHECK(pipeline::fit_flops(options, plan, 6).total() == 10 * 10 * 1 + 6 * 10 * 10);
}

TEST_CASE("pls on few features multiplies by them in place of their Gram") {
    const auto flops = flops_of("pls", 5);
    // 4·2·5·4 for 2·2·2·4, 2·4·10·5 for 2·2·10·10, and 4·10·5·4 for 2·10·10·4.
    CHECK(flops.products == 2 * (160 + 128));
    CHECK(flops.passes == 2 * 3 * (400 + 240 + 1280));
    CHECK(flops.shared == 960);
}

TEST_CASE("pls on features that are few beside the targets iterates in their space") {
    const auto flops = flops_of("pls", 1);
    // Xᵀ Y and its factor, 2·4·(8·1 + 1), and three components of 8·8·1 + 40·4·1.
    CHECK(flops.products == 2 * 72);
    CHECK(flops.passes == 2 * 3 * (64 + 160));
    CHECK(flops.shared == 0);
}

TEST_CASE("ridge on more features than rows costs the cheaper of one factorisation and many") {
    const auto flops = flops_of("ridge", 100);
    // Four rows are held out. Together 10³/3 + 2·4³/3 + (10² + 4²)·4 = 840 and twice
    // 2·4·2·4 + 2³/3 + 2·2²·4 = 98.7; each on its own twice 8³/3 + 2·8²·2 + 2·8·2·4 = 554.7.
    CHECK(flops.shared == Approx(840));
    CHECK(flops.products == Approx(2 * 98.0 + 4.0 / 3));
    CHECK(flops.passes == 0);
}

TEST_CASE("ridge on fewer features than rows works in their space") {
    const auto flops = flops_of("ridge", 6);
    // XᵀX of all rows once, and of each fold that of the two rows left out.
    CHECK(flops.shared == 10 * 36);
    CHECK(flops.products == Approx(2 * (2 * 36 + 216.0 / 3 + 2 * 10 * 6 * 4)));
}

TEST_CASE("the other metrics cost what their tables say") {
    // Reduced to ten features; 2·8·10·8 + 2·10·10·4 in each of two folds.
    CHECK(flops_of("linear_predictivity", 100).total() == 2 * (1280 + 800));
    CHECK(flops_of("neuron_to_neuron", 100).products == 2 * 2 * 8 * 100 * 4);
    CHECK(flops_of("neuron_to_neuron", 100).passes == 2 * 6 * 8 * 100);
    CHECK(flops_of("cka_cv", 100).total() == 2 * (4 * 4 + 6 * 4));
    // One pair in each fold counts as two: 2·2·(4·1 + 10).
    CHECK(flops_of("rdm_cv", 100).total() == 10 * 10 * 4 + 2 * 56);
}

TEST_CASE("what is left of a fit is a part of all of it") {
    const auto half = 0.5 * pipeline::FitFlops{4, 2, 6};
    CHECK(half.products == 2);
    CHECK(half.passes == 1);
    CHECK(half.shared == 3);
}

TEST_CASE("time bins that are averaged are fitted once") {
    metrics::MetricOptions options;
    options.name = "spantime_ridge";
    auto plan = ten_rows();
    plan.averages = plan.targets;
    plan.targets = stats::Matrix::Zero(10, 3 * 4);
    plan.time_bins = 3;
    plan.time_layout = metrics::TimeLayout::averaged;
    CHECK(pipeline::fit_flops(options, plan, 100).total() == flops_of("ridge", 100).total());
    options.name = "pertime_ridge";
    plan.time_layout = metrics::TimeLayout::beside;
    CHECK(pipeline::fit_flops(options, plan, 100).total() > flops_of("ridge", 100).total());
}
