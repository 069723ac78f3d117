#include "models/readouts/probabilities_readout.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/readout_goldens.hpp"
#include "models/small_features.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using models::read_probabilities;

namespace {

using Texts = std::vector<std::string>;

std::vector<double> flat(const std::vector<std::vector<double>>& rows) {
    std::vector<double> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    return all;
}

/// Float32 leaves the reference itself differences of this size from one BLAS to another.
constexpr double of_float32 = 2e-5;
constexpr double of_float64 = 1e-9;

void check_golden(const std::string& slug, const std::string& fitting, const std::string& test,
                  double tolerance) {
    const auto fitting_features = test::golden_assembly("readouts/" + fitting + ".nc");
    const auto test_features = test::golden_assembly("readouts/" + test + ".nc");
    const auto expected = test::golden("readouts/expected.probabilities-" + slug + ".json");
    if (!fitting_features || !test_features || !expected) return;
    stats::use_one_blas_thread();
    INFO(slug);
    const auto read = read_probabilities(*fitting_features, *test_features, {});
    const auto& golden = expected->at("default");
    CHECK(test::largest_gap(read.probabilities.values, golden.at("probabilities").at("values")) <=
          tolerance);
    CHECK(core::texts(read.probabilities, "choice") ==
          golden.at("probabilities").at("coords").at("choice").at("values").get<Texts>());
    CHECK(core::texts(read.probabilities, "stimulus_id") ==
          golden.at("probabilities").at("coords").at("stimulus_id").at("values").get<Texts>());
    CHECK(test::largest_gap(flat(read.coefficients), golden.at("coef")) <= tolerance);
    CHECK(test::largest_gap(read.intercepts, golden.at("intercept")) <= 5 * tolerance);
    if (tolerance == of_float64 && golden.contains("n_iter"))
        CHECK(read.iterations == golden.at("n_iter")[0].get<std::size_t>());
}

core::Assembly labelled(const std::vector<std::string>& labels, const std::vector<double>& values) {
    auto features = test::small_features<double>(labels, values);
    features.coordinates.push_back({"image_label", "presentation", labels});
    return features;
}

}  // namespace

TEST_CASE("probabilities are the reference's") {
    check_golden("float64", "fit_float64", "test_float64", of_float64);
    check_golden("binary", "fit_binary", "fit_binary", of_float64);
    check_golden("float32", "fit_float32", "test_float32", of_float32);
}

TEST_CASE("a looser tolerance stops where the reference does") {
    const auto fitting = test::golden_assembly("readouts/fit_float64.nc");
    const auto test_features = test::golden_assembly("readouts/test_float64.nc");
    const auto expected = test::golden("readouts/expected.probabilities-float64.json");
    if (!fitting || !test_features || !expected) return;
    const auto& golden = expected->at("tol_times_n");
    stats::LogisticOptions options;
    options.tolerance = 1e-4 * 90;  // 90 presentations
    const auto read = read_probabilities(*fitting, *test_features, options);
    CHECK(read.iterations == golden.at("n_iter")[0].get<std::size_t>());
    CHECK(test::largest_gap(read.probabilities.values, golden.at("probabilities").at("values")) <=
          of_float64);
}

TEST_CASE("choices come in the order in which their labels appear") {
    const auto features = labelled({"z", "a", "z", "m"}, {5, -1, 4, 0});
    const auto read = read_probabilities(features, features, {});
    CHECK(core::texts(read.probabilities, "choice") == std::vector<std::string>{"z", "a", "m"});
    CHECK(read.probabilities.dims[0].name == "presentation");
    CHECK(read.coefficients.size() == 3);
}

TEST_CASE("labels that are numbers stay numbers") {
    auto features = labelled({"z", "a", "z", "m"}, {5, -1, 4, 0});
    features.coordinates.back().values = std::vector<std::int64_t>{35, 21, 35, 28};
    const auto read = read_probabilities(features, features, {});
    CHECK(core::coordinate(read.probabilities, "choice").values ==
          core::Values(std::vector<std::int64_t>{35, 21, 28}));
}

TEST_CASE("choices take the place of a coordinate of their name") {
    auto features = labelled({"z", "a"}, {5, -1});
    features.coordinates.push_back({"choice", "presentation", std::vector<std::string>{"a", "a"}});
    const auto read = read_probabilities(features, features, {});
    CHECK(core::texts(read.probabilities, "choice") == std::vector<std::string>{"z", "a"});
    CHECK(read.probabilities.coordinates.size() == 3);
}

TEST_CASE("constant features decide nothing, so that labels have their shares") {
    // With x = 0 only the intercepts are left; the optimum is the share of each label, 3/4 and 1/4.
    const auto features = labelled({"a", "a", "b", "a"}, {7, 7, 7, 7});
    stats::LogisticOptions exact;
    exact.tolerance = 1e-10;
    const auto read = read_probabilities(features, features, exact);
    const auto probabilities = std::get<std::vector<double>>(read.probabilities.values);
    CHECK(probabilities[0] == Approx(0.75).epsilon(1e-9));
    CHECK(probabilities[1] == Approx(0.25).epsilon(1e-9));
    CHECK(read.coefficients == std::vector<std::vector<double>>{{0.0}});
}

TEST_CASE("features that overflow when they are standardised name their presentation") {
    auto fitting = test::small_features<float>({"a", "b"}, {1e-5F, 2e-5F});
    fitting.coordinates.push_back(
        {"image_label", "presentation", std::vector<std::string>{"one", "two"}});
    // 3e38 / 5e-6 is beyond float32, 1e30 / 5e-6 is not.
    const auto far = test::small_features<float>({"s0", "s1"}, {1e30F, 3e38F});
    CHECK_THROWS_WITH(read_probabilities(fitting, far, {}),
                      Contains("standardised features of stimulus 's1'") && Contains("float32"));
    fitting.values = std::vector<float>{-3e38F, 3e38F};
    CHECK_NOTHROW(read_probabilities(fitting, fitting, {}));
}

TEST_CASE("features that do not go together are an error") {
    const auto fitting = labelled({"a", "b"}, {1, 2});
    CHECK_THROWS_WITH(read_probabilities(fitting, test::small_features<double>({"s"}, {1, 2}), {}),
                      Contains("2 neuroids of float64"));
    CHECK_THROWS_WITH(read_probabilities(fitting, test::small_features<float>({"s"}, {1}), {}),
                      Contains("float32"));
    CHECK_THROWS_WITH(read_probabilities(labelled({"a", "a"}, {1, 2}), fitting, {}),
                      Contains("one label only, 'a'"));
    CHECK_THROWS_WITH(read_probabilities(test::small_features<double>({"s"}, {1}), fitting, {}),
                      Contains("image_label"));
}
