#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/score_assemblies.hpp"
#include "metrics/small_scores.hpp"

using namespace ventral;
using namespace ventral::metrics;
using test::check_golden;
using test::check_numbers;
using test::numbers;
using test::source;
using test::target;
using test::three_splits;

namespace {

const std::vector<std::size_t> first_rows = {0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<std::size_t> last_rows = {8, 9, 10, 11};

/// Fitted on the first rows, tested on the last ones.
core::Score score_of_sets(const core::Assembly& source, const core::Assembly& target,
                          const std::string& metric) {
    const auto part = [](const core::Assembly& whole, const std::vector<std::size_t>& rows) {
        return AssemblyOfFile{"", core::take(whole, "presentation", rows)};
    };
    const TrainTestRecordings parts{part(source, first_rows), part(source, last_rows),
                                    part(target, first_rows), part(target, last_rows)};
    core::Workers workers(1);
    return score_train_test(parts, three_splits(metric), {workers}).score;
}

}  // namespace

TEST_CASE("a score of given sets is scikit-learn's and scipy's") {
    // Ridge().fit(X[:8], Y[:8]), pearsonr of Y[8:] and its prediction.
    const auto mixed = core::take(target(), "presentation", {0, 1, 2, 3, 4, 5, 6, 7, 11, 9, 10, 8});
    const auto split = score_of_sets(source(), mixed, "ridge_split");
    check_numbers(numbers(split.raw),
                  {0.8175038577342836, 0.9517245082760716, -0.3997460669852766});
    CHECK(split.value == Approx(0.8175038577342836).margin(1e-11));
    CHECK(!split.error);
}

TEST_CASE("a neuroid with a missing test response is left out of the score of given sets") {
    // The other two of the case above.
    auto responses = target();
    std::get<std::vector<double>>(responses.values)[10 * 3 + 1] =
        std::numeric_limits<double>::quiet_NaN();
    const auto split = score_of_sets(source(), responses, "ridge_split");
    const auto raw = numbers(split.raw);
    CHECK(raw[0] == Approx(0.8175038577342836).margin(1e-11));
    CHECK(std::isnan(raw[1]));
    CHECK(raw[2] == Approx(-0.3997460669852766).margin(1e-11));
    CHECK(split.value == Approx((0.8175038577342836 - 0.3997460669852766) / 2).margin(1e-11));
    CHECK(split.undefined_neuroids == 1);
}

TEST_CASE("stimuli that differ in nothing that was trained on are predicted alike") {
    // The last feature alone is of the test set, so that its weight is exactly 0 in scikit-learn,
    // which predicts the mean of the train responses.
    auto features = source();
    auto& values = std::get<std::vector<double>>(features.values);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            if ((i < 8) == (j == 4)) values[5 * i + j] = 0;
    const auto split = [&](const std::string& metric) {
        return score_of_sets(features, target(), metric);
    };
    for (const auto* metric : {"ridge_split", "pls_split", "linear_predictivity_split",
                               "ridgecv_split", "dual_ridge_split"})
        CHECK(split(metric).undefined_neuroids == 3);
    values[5 * 9] = 1e-12;
    CHECK(split("pls_split").undefined_neuroids == 0);
}

TEST_CASE("a feature that is finite in the train set alone predicts nothing") {
    const auto responses = core::take(source(), "neuroid", {1});
    const auto split = [&](const core::Assembly& features) {
        return score_of_sets(features, responses, "neuron_to_neuron_split");
    };
    CHECK(split(source()).value == Approx(1));
    auto odd = source();
    auto& value = std::get<std::vector<double>>(odd.values)[5 * last_rows.back() + 1];
    value = std::numeric_limits<double>::quiet_NaN();
    CHECK(split(odd).undefined_neuroids == 1);
    std::get<std::vector<double>>(odd.values)[5 * first_rows.front() + 1] = value;
    CHECK(split(odd).value == split(core::take(source(), "neuroid", {0, 2, 3, 4})).value);
}

TEST_CASE("given sets need a metric of that form") {
    CHECK_THROWS_WITH(score_of_sets(source(), target(), "ridge"), Catch::Contains("--source"));
}

TEST_CASE("scores of given sets equal the reference's") {
    const std::string folder = "split_tall_f64/";
    core::Workers workers(2);
    MetricOptions options;
    for (const std::string name : {"pls_split", "ridge_split"}) {
        INFO(name);
        const auto expected = test::golden(folder + "expected." + name + ".json");
        if (!expected) return;
        const auto part = [&](const std::string& file) {
            const auto path = test::golden_path(folder + file + ".nc").value();
            return AssemblyOfFile{"", io::read_assembly(path)};
        };
        options.name = name;
        const TrainTestRecordings parts{part("source_train"), part("source_test"),
                                        part("target_train"), part("target_test")};
        check_golden(score_train_test(parts, options, {workers}).score, *expected);
    }
}
