#include "pipeline/outlook/few_features.hpp"

#include <catch2/catch.hpp>

#include "support/small_run.hpp"

using namespace ventral;
using pipeline::few_features;
using pipeline::FewFeatures;
using pipeline::UnitEstimate;

namespace {

/// Model "stored" on small-pls (five components) and small-ridge, layers "a" and "a+b".
pipeline::RunPlan plan_of_two_sets() {
    pipeline::RunPlan plan;
    pipeline::PlannedUnit unit;
    unit.layers = {"a", "b"};
    for (std::size_t benchmark : {0, 1})
        for (const auto& layers : {config::LayerSet{"a"}, config::LayerSet{"a", "b"}})
            unit.scores.push_back({benchmark, layers, false, ""});
    plan.units = {unit};
    return plan;
}

UnitEstimate sizes(std::size_t a, std::size_t b) {
    UnitEstimate estimate;
    estimate.layers = {{"a", a}, {"b", b}};
    return estimate;
}

std::vector<std::string> texts(const std::vector<FewFeatures>& few) {
    std::vector<std::string> all;
    for (const auto& each : few) {
        CHECK(each.unit == 0);
        all.push_back(each.text);
    }
    return all;
}

}  // namespace

TEST_CASE("layers with fewer features than PLS has components are told, alone and concatenated") {
    const auto run = test::small_run("nowhere");
    const auto plan = plan_of_two_sets();
    CHECK(few_features(run, plan, {sizes(5, 1)}).empty());
    CHECK(texts(few_features(run, plan, {sizes(4, 1)})) ==
          std::vector<std::string>{"stored, a on small-pls: 4 features are fewer than the 5 "
                                   "components of PLS, the score will fail"});
    const auto both = texts(few_features(run, plan, {sizes(3, 1)}));
    REQUIRE(both.size() == 2);
    CHECK_THAT(both[1], Catch::StartsWith("stored, a+b on small-pls: 4 features"));
    auto other = run;
    for (const auto* name : {"spantime_pls", "scaled_pls_cv"}) {
        other.benchmarks[0].metric.name = name;
        CHECK(texts(few_features(other, plan, {sizes(3, 1)})) == both);
    }
    other.benchmarks[0].metric.name = "reverse_pls_cv";
    CHECK(few_features(other, plan, {sizes(3, 1)}).empty());
}

TEST_CASE("a PCA with too few components is told without the sizes of layers") {
    auto run = test::small_run("nowhere");
    const auto plan = plan_of_two_sets();
    CHECK(few_features(run, plan, {}).empty());
    run.models[0].pca = models::PcaRecord{4, "photos"};
    CHECK(texts(few_features(run, plan, {})) ==
          std::vector<std::string>{"stored, a on small-pls: 4 features after [pca] are fewer than "
                                   "the 5 components of PLS, the score will fail"});
    CHECK(few_features(run, plan, {sizes(90, 1)}).size() == 1);
    CHECK(few_features(run, plan, {sizes(3, 1)}).size() == 2);
    run.models[0].pca->components = 5;
    CHECK(few_features(run, plan, {sizes(90, 90)}).empty());
}
