#include "metrics/neuron_to_neuron.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/pairing.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/small_scores.hpp"
#include "stats/regression/neuron_to_neuron.hpp"
#include "stats/same_bits.hpp"
#include "stats/similarity/correlation.hpp"
#include "stats/stored_features.hpp"

using namespace ventral;
using namespace ventral::metrics;
using test::check_golden;
using test::rows_from;

namespace {

stats::ReadSlab slabs_of(const core::Assembly& table) {
    stats::FeatureMatrix all{{}, table.dims[0].size, table.dims[1].size, table.dims[1].size};
    if (const auto* floats = std::get_if<std::vector<float>>(&table.values))
        all.values = std::span<const float>(*floats);
    else
        all.values = std::span<const double>(std::get<std::vector<double>>(table.values));
    return [all](std::size_t first, std::size_t count) {
        return stats::columns_of(all, first, count);
    };
}

core::Assembly matched(const core::Assembly& source, const std::vector<std::string>& ids) {
    const auto table = presentation_by_neuroid(source);
    return core::take(table, "presentation", pair_rows(core::texts(table, "stimulus_id"), ids));
}

core::Score score(const RegressionPlan& plan, const core::Assembly& features,
                  std::size_t threads = 2) {
    core::Workers workers(threads);
    stats::Problem problem{{}, plan.targets, features.dims[1].size};
    problem.read = slabs_of(features);
    const auto fits = fit_neuron_to_neuron(problem, plan.folds, {}, workers);
    std::vector<double> table;
    for (std::size_t f = 0; f < fits.size(); ++f) {
        const auto r = stats::pearson_columns(stats::rows_of(plan.targets, plan.folds[f].test),
                                              fits[f].prediction);
        for (const auto column : plan.neuroid_order) table.push_back(r[column]);
    }
    return aggregate(plan, table);
}

core::Assembly golden_assembly(const std::string& file) {
    return io::read_assembly(test::golden_path(file).value());
}

}  // namespace

TEST_CASE("the metric predicts with the best features and tells how near the next one was") {
    const test::RowMajorMatrix x = test::random_matrix(40, 30, 1);
    const stats::Matrix y = test::random_matrix(40, 5, 2);
    stats::Problem problem{{}, y, 30};
    problem.read = test::slabs_of(x);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)},
                                                {rows_from(10, 40), rows_from(0, 10)}};
    core::Workers workers(2);
    const auto fits = fit_neuron_to_neuron(problem, folds, {}, workers);
    const auto expected = stats::neuron_to_neuron_predict(problem, folds, workers);
    REQUIRE(fits.size() == 2);
    for (std::size_t f = 0; f < 2; ++f) {
        CHECK(test::same_bits(fits[f].prediction, expected[f].prediction));
        CHECK(fits[f].margins.argmax_gap == expected[f].argmax_gap);
        CHECK(std::isfinite(fits[f].margins.argmax_gap));
        CHECK(fits[f].route == features_route);
    }
}

TEST_CASE(
    "a feature that is a neuroid predicts it perfectly, the number of workers changes no bit") {
    const stats::Matrix y = test::random_matrix(40, 3, 3);
    stats::Matrix x = test::random_matrix(40, 20, 4);
    x.col(7) = 2 * y.col(1);
    CrossValidationOptions options;
    options.splits = 3;
    const auto target = test::assembly_of(y);
    const auto plan = plan_cross_validated(target, options);
    const auto features = test::assembly_of(x);
    const auto found = score(plan, features, 1);
    for (std::size_t split = 0; split < 3; ++split)
        CHECK(test::numbers(found.raw)[3 * split + 1] == Approx(1).epsilon(1e-14));
    for (const std::size_t threads : {2U, 5U})
        CHECK(test::numbers(score(plan, features, threads).raw) == test::numbers(found.raw));
}

TEST_CASE("scores equal the reference's") {
    for (const std::string folder :
         {"neural_small_f64/", "neural_odd_f64/", "neural_medium_f32/", "neural_wide_f32/"}) {
        INFO(folder);
        const auto expected = test::golden(folder + "expected.neuron_to_neuron_cv.json");
        if (!expected) return;
        const auto plan = plan_cross_validated(golden_assembly(folder + "target.nc"), {});
        check_golden(score(plan, matched(golden_assembly(folder + "source.nc"), plan.stimulus_ids)),
                     *expected);
    }
}

TEST_CASE("scores of given sets equal the reference's") {
    for (const std::string folder : {"split_tall_f64/", "split_wide_f64/", "split_wide_f32/"}) {
        INFO(folder);
        const auto expected = test::golden(folder + "expected.neuron_to_neuron_split.json");
        if (!expected) return;
        const auto target_train = golden_assembly(folder + "target_train.nc");
        const auto target_test = golden_assembly(folder + "target_test.nc");
        const auto features =
            test::one_below_the_other(matched(golden_assembly(folder + "source_train.nc"),
                                              core::texts(target_train, "stimulus_id")),
                                      matched(golden_assembly(folder + "source_test.nc"),
                                              core::texts(target_test, "stimulus_id")));
        check_golden(score(plan_train_test(target_train, target_test), features), *expected);
    }
}

TEST_CASE("constant recordings are refused as the reference does") {
    const std::string folder = "neural_degenerate/";
    const auto expected = test::golden(folder + "expected.neuron_to_neuron_cv.json");
    if (!expected) return;
    REQUIRE(expected->at("raises") == "ValueError");
    const auto plan = plan_cross_validated(golden_assembly(folder + "target.nc"), {});
    CHECK_THROWS_AS(score(plan, matched(golden_assembly(folder + "source.nc"), plan.stimulus_ids)),
                    core::InputError);
}
