#include "metrics/score_assemblies.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/assemblies.hpp"
#include "metrics/small_scores.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using core::InputError;
using test::assembly_of;
using test::check_golden;
using test::check_numbers;
using test::numbers;
using test::relabel;
using test::source;
using test::target;
using test::three_splits;
using Texts = std::vector<std::string>;

namespace {

core::Score score(const core::Assembly& source, const core::Assembly& target,
                  const MetricOptions& options, std::size_t threads = 1) {
    core::Workers workers(threads);
    return score_assemblies({"", source}, {"", target}, options, {workers}).score;
}

/// Each three columns are the time bins of a neuroid.
core::Assembly in_three_bins(const stats::Matrix& values) {
    auto assembly = assembly_of(values);
    auto ids = core::texts(assembly, "neuroid_id");
    ids.resize(ids.size() / 3);
    assembly.dims = {assembly.dims[0], {"neuroid", ids.size()}, {"time_bin", 3}};
    relabel(assembly, "neuroid_id", ids);
    assembly.coordinates.push_back(
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90, 110}});
    assembly.coordinates.push_back(
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{90, 110, 130}});
    return assembly;
}

}  // namespace

TEST_CASE("a ridge score is scikit-learn's and scipy's") {
    // Ridge() on the train rows of each of ShuffleSplit(3, train_size=.7, random_state=1), pearsonr
    // of the test rows; median over neuroids, mean over splits, np.std(medians) / √3.
    const auto ridge = score(source(), target(), three_splits("ridge"));
    check_numbers(numbers(ridge.raw),
                  {0.9065087728184222, 0.6301312461008866, -0.3456077989357118, -0.7422894322558912,
                   0.3157028788400111, 0.18420902340160117, 0.2820947488308703,
                   0.018541107986631722, -0.30371897213654964});
    CHECK(ridge.value == Approx(0.2776271258297065).margin(1e-11));
    CHECK(ridge.error.value() == Approx(0.1491128064070244).margin(1e-11));
    CHECK(core::texts(ridge.raw, "neuroid_id") == Texts{"n0", "n1", "n2"});
    CHECK(ridge.undefined_neuroids == 0);
}

TEST_CASE("a pls score is scikit-learn's and scipy's") {
    // The same with PLSRegression(2, scale=False).
    const auto pls = score(source(), target(), three_splits("pls"));
    check_numbers(numbers(pls.raw),
                  {0.9895430338538541, -0.16388257537538892, 0.053324784781081824,
                   -0.7876060859990895, 0.05737311870425915, -0.12593509688490295,
                   0.19890315782926446, -0.2943598805044647, -0.6218345491716846});
    CHECK(pls.value == Approx(-0.12232339753609528).margin(1e-11));
    CHECK(pls.error.value() == Approx(0.08196332499331674).margin(1e-11));
    CHECK(std::isfinite(pls.margins.pls_stop));
    CHECK(pls.margins.guard > 0);
}

TEST_CASE("the order of the features' rows and the number of workers change no bit") {
    const auto expected = numbers(score(source(), target(), three_splits("pls")).raw);
    const auto mixed = core::take(source(), "presentation", {3, 11, 0, 7, 5, 1, 9, 10, 2, 4, 6, 8});
    CHECK(numbers(score(mixed, target(), three_splits("pls")).raw) == expected);
    for (const std::size_t threads : {2U, 5U})
        CHECK(numbers(score(source(), target(), three_splits("pls"), threads).raw) == expected);
}

TEST_CASE("features of single precision give the score of the same numbers in double") {
    auto single = source();
    const auto values = numbers(source());
    single.values = std::vector<float>(values.begin(), values.end());  // quarters are exact
    CHECK(numbers(score(single, target(), three_splits("ridge")).raw) ==
          numbers(score(source(), target(), three_splits("ridge")).raw));
}

TEST_CASE("recordings that are a linear function of the features are predicted") {
    const stats::Matrix x = test::random_matrix(40, 5, 1);
    const auto linear = assembly_of(x * test::random_matrix(5, 3, 2));
    auto options = three_splits("pls");
    options.n_components = 5;
    CHECK(score(assembly_of(x), linear, options).value == Approx(1).epsilon(1e-10));
    options.name = "ridge";
    options.alpha = 1e-9;
    CHECK(score(assembly_of(x), linear, options).value == Approx(1).epsilon(1e-10));
}

TEST_CASE("a neuroid that never changes is left out of the score") {
    auto flat = target();
    for (std::size_t i = 0; i < 12; ++i)
        std::get<std::vector<double>>(flat.values)[3 * i + 1] = 0.5;
    const auto found = score(source(), flat, three_splits("ridge"));
    CHECK(found.undefined_neuroids == 1);
    CHECK(std::isnan(numbers(found.raw)[1]));
    CHECK(std::isfinite(found.value));
    CHECK(!found.warnings.empty());
}

TEST_CASE("comparisons of features that are not finite are undefined, and only of these") {
    auto odd = source();
    auto& values = std::get<std::vector<double>>(odd.values);
    values[7] =
        GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
    for (const auto* name : {"rdm", "cka", "cka_biased"}) {
        const auto found = score(odd, target(), three_splits(name));
        CHECK(std::isnan(found.value));
        CHECK_THAT(found.warnings.at(0), Contains("features"));
    }
    for (const auto* name : {"rdm_cv", "cka_cv"}) {
        auto options = three_splits(name);
        options.cross_validation.splits = 20;
        options.cross_validation.train_size = 0.4;
        options.cross_validation.test_size = 0.5;
        const auto some = numbers(score(odd, target(), options).raw);
        const auto all = numbers(score(source(), target(), options).raw);
        std::size_t undefined = 0;
        for (std::size_t i = 0; i < some.size(); ++i)
            if (std::isnan(some[i]))
                ++undefined;
            else
                CHECK(some[i] == Approx(all[i]).margin(1e-12));
        CHECK(undefined > 0);
        CHECK(undefined < some.size());
    }
}

TEST_CASE("features that do not change in time are refused with what to do about it") {
    for (const auto* name : {"spantime_pls", "pertime_ridge"})
        CHECK_THROWS_WITH(score(source(), target(), three_splits(name)),
                          Contains("repeat them for each bin"));
}

TEST_CASE("no neuroid is predicted by a feature that is not finite") {
    auto odd = source();
    for (std::size_t i = 0; i < 12; ++i)
        std::get<std::vector<double>>(odd.values)[5 * i + 4] =
            std::numeric_limits<double>::quiet_NaN();
    const auto others = core::take(source(), "neuroid", {0, 1, 2, 3});
    const auto options = three_splits("neuron_to_neuron");
    CHECK(numbers(score(odd, target(), options).raw) ==
          numbers(score(others, target(), options).raw));
}

TEST_CASE("what cannot be scored is refused") {
    CHECK_THROWS_AS(score(source(), target(), three_splits("ridge_split")), InputError);
    CHECK_THROWS_AS(score(source(), target(), three_splits("no such metric")), InputError);
    const auto fewer = core::take(source(), "presentation", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK_THROWS_WITH(score(fewer, target(), three_splits("pls")), Contains("'s11'"));
    auto missing = source();
    std::get<std::vector<double>>(missing.values)[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(score(missing, target(), three_splits("ridge")), InputError);
    auto names = source();
    names.values = Texts(60, "a");
    CHECK_THROWS_WITH(score(names, target(), three_splits("ridge")), Contains("float32"));
    CHECK_THROWS_AS(score(core::take(source(), "neuroid", {}), target(), three_splits("ridge")),
                    InputError);
    auto many = three_splits("pls");
    many.n_components = 6;
    CHECK_THROWS_WITH(score(source(), target(), many), Contains("n_components"));
}

TEST_CASE("features with other strata than the recordings are refused where strata count") {
    auto other = source();
    relabel(other, "object_name", Texts(12, "car"));
    auto stratified = three_splits("ridge");
    stratified.cross_validation.stratification_coordinate = "object_name";
    CHECK_NOTHROW(score(source(), target(), stratified));
    CHECK_THROWS_WITH(score(other, target(), stratified), Contains("'object_name'"));
    core::Workers workers(1);
    CHECK_THROWS_WITH(score_assemblies({"a.nc", other}, {"b.nc", target()}, stratified, {workers}),
                      StartsWith("a.nc and b.nc: "));
    CHECK_NOTHROW(score(other, target(), three_splits("ridge")));
    stratified.name = "cka";
    CHECK_NOTHROW(score(other, target(), stratified));
}

TEST_CASE("a metric that spans time has its bins in the order of their start, as PerTime has") {
    const auto features = in_three_bins(test::random_matrix(12, 15, 1));
    const auto recordings = in_three_bins(test::random_matrix(12, 9, 2));
    const auto sorted = score(features, recordings, three_splits("spantime_ridge"));
    const std::vector<std::size_t> stored = {2, 0, 1};
    const auto mixed =
        score(core::take(features, "time_bin", stored), core::take(recordings, "time_bin", stored),
              three_splits("spantime_ridge"));
    CHECK(core::texts(*mixed.value_array, "time_bin_start") == Texts{"70", "90", "110"});
    CHECK(core::texts(mixed.raw, "time_bin_end") == Texts{"90", "110", "130"});
    CHECK(numbers(*mixed.value_array) == numbers(*sorted.value_array));
    CHECK(numbers(mixed.raw) == numbers(sorted.raw));
    CHECK_THROWS_WITH(
        score(features, core::take(recordings, "time_bin", stored), three_splits("spantime_ridge")),
        Contains("same order"));
}

TEST_CASE("features in any memory and of any number of workers give the same bits") {
    // Ten slabs: blocks of two of them in turn or kept, or slabs in turn.
    const auto wide = assembly_of(test::random_matrix(30, 10 * 4096 - 5, 3));
    const auto features = features_in_memory(wide);
    const auto recorded = assembly_of(test::random_matrix(30, 3, 4));
    const double streamed = 3.5e6;  // two slabs are 2 MB, two long blocks 4
    for (const std::string name : {"pls", "ridge", "linear_predictivity"}) {
        const auto expected = numbers(score(wide, recorded, three_splits(name)).raw);
        for (const std::size_t threads : {1U, 2U}) {
            core::Workers workers(threads);
            const auto found =
                score_features(features, {"", recorded}, three_splits(name), {workers, streamed});
            CHECK(numbers(found.score.raw) == expected);
            CHECK(found.read_s > 0);
            CHECK(found.gram_s > 0);
            CHECK(found.fit_s > 0);
        }
    }
    core::Workers workers(1);
    CHECK_THROWS_WITH(score_features(features, {"", recorded}, three_splits("pls"), {workers, 1e6}),
                      Contains("--memory"));
}

TEST_CASE("messages name the files that they are about") {
    core::Workers workers(1);
    const auto message = [&](core::Assembly model, const core::Assembly& recordings) {
        auto features = features_in_memory(model);
        features.place = "model.nc";
        try {
            score_features(features, {"brain.nc", recordings}, three_splits("ridge"), {workers});
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    const auto fewer = core::take(source(), "presentation", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK_THAT(message(fewer, target()),
               StartsWith("model.nc and brain.nc: the stimulus ids") && Contains("'s11'"));
    auto missing = source();
    std::get<std::vector<double>>(missing.values)[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THAT(message(missing, target()),
               StartsWith("model.nc: feature 2 'n2' is NaN at stimulus 's01'"));
    missing = target();
    std::get<std::vector<double>>(missing.values)[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THAT(message(source(), missing), StartsWith("brain.nc: the recording is NaN"));
    auto huge = source();
    std::get<std::vector<double>>(huge.values)[7] = 1e200;
    CHECK_THAT(message(huge, target()), StartsWith("model.nc: "));
    CHECK_THAT(message(core::take(source(), "neuroid", {}), target()),
               StartsWith("model.nc: the model's features are empty"));
    CHECK_THAT(message(source(), core::take(target(), "neuroid", {})),
               StartsWith("brain.nc: the assembly") && Contains("'neuroid' has no entries"));
    huge.coordinates.clear();
    CHECK_THAT(message(huge, target()), StartsWith("model.nc: ") && Contains("stimulus_id"));
    CHECK_THAT(message(source(), huge), StartsWith("brain.nc: ") && Contains("stimulus_id"));
}

TEST_CASE("missing stimuli are told, not the labels that are missing with them") {
    core::Workers workers(1);
    auto recordings = target();
    recordings.coordinates.push_back(
        {"object_name", "presentation", core::texts(recordings, "stimulus_id")});
    auto model = source();
    model.coordinates.push_back({"object_name", "presentation", core::texts(model, "stimulus_id")});
    model = core::take(model, "presentation", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    auto options = three_splits("ridge");
    options.cross_validation.split_coordinate = "object_name";
    CHECK_THROWS_WITH(
        score_features(features_in_memory(model), {"", recordings}, options, {workers}),
        StartsWith("the stimulus ids") && Contains("'s11'"));
}

TEST_CASE("scores equal the reference's") {
    const std::string folder = "neural_small_f64/";
    const auto features = test::golden_path(folder + "source.nc");
    const auto recordings = test::golden_path(folder + "target.nc");
    if (!features || !recordings) return;
    MetricOptions options;
    for (const std::string name : {"pls_cv", "ridge_cv"}) {
        INFO(name);
        const auto expected = test::golden(folder + "expected." + name + ".json");
        if (!expected) return;
        options.name = name;
        check_golden(
            score(io::read_assembly(*features), io::read_assembly(*recordings), options, 2),
            *expected);
    }
}
