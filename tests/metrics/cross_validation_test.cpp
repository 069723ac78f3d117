#include "metrics/cross_validation.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/assemblies.hpp"
#include "support/golden.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using core::InputError;
using Json = nlohmann::json;
using Rows = std::vector<Eigen::Index>;
using Texts = std::vector<std::string>;
using test::relabel;

namespace {

core::Assembly presentations(Eigen::Index count) {
    return test::assembly_of(stats::Matrix::Zero(count, 1));
}

CrossValidationOptions unstratified() {
    CrossValidationOptions options;
    options.stratification_coordinate.reset();
    return options;
}

/// The arguments of the reference's `Split`.
CrossValidationOptions options_from(const Json& arguments) {
    CrossValidationOptions options;
    for (const auto& [name, value] : arguments.items()) {
        if (name == "split_coord") {
            options.split_coordinate = value;
        } else if (name == "stratification_coord") {
            options.stratification_coordinate.reset();
            if (!value.is_null()) options.stratification_coordinate = value.get<std::string>();
        } else if (name == "unique_split_values") {
            options.unique_split_values = value;
        } else if (name == "train_size") {
            options.train_size = value.get<double>();
        } else {
            FAIL("the golden has an argument that this test does not know: " << name);
        }
    }
    return options;
}

Rows sorted(const Json& rows) {
    auto values = rows.get<Rows>();
    std::sort(values.begin(), values.end());
    return values;
}

}  // namespace

TEST_CASE("rows of both sides are in the order of the assembly") {
    // ShuffleSplit(3, train_size=.7, random_state=1) of 10 tests (2, 9, 6), (9, 5, 3), (8, 3, 5).
    auto options = unstratified();
    options.splits = 3;
    options.train_size = 0.7;
    const auto folds = cross_validation_splits(presentations(10), options);
    REQUIRE(folds.size() == 3);
    CHECK(folds[0].test == Rows{2, 6, 9});
    CHECK(folds[0].train == Rows{0, 1, 3, 4, 5, 7, 8});
    CHECK(folds[1].test == Rows{3, 5, 9});
    CHECK(folds[2].test == Rows{3, 5, 8});
}

TEST_CASE("without a size nine tenths are trained on") {
    for (const auto& fold : cross_validation_splits(presentations(40), unstratified())) {
        CHECK(fold.train.size() == 36);
        CHECK(fold.test.size() == 4);
    }
}

TEST_CASE("objects keep their proportions") {
    // 40 presentations, cars on even rows.
    const auto folds = cross_validation_splits(presentations(40), {});
    CHECK(folds.size() == 10);
    for (const auto& fold : folds)
        CHECK(std::count_if(fold.test.begin(), fold.test.end(),
                            [](auto i) { return i % 2 == 0; }) == 2);
}

TEST_CASE("folds test every presentation once") {
    auto options = unstratified();
    options.kfold = true;
    options.splits = 4;
    for (const bool stratified : {false, true}) {
        if (stratified) options.stratification_coordinate = "object_name";
        Rows tested;
        for (const auto& fold : cross_validation_splits(presentations(22), options))
            tested.insert(tested.end(), fold.test.begin(), fold.test.end());
        std::sort(tested.begin(), tested.end());
        CHECK(tested.size() == 22);
        CHECK(std::adjacent_find(tested.begin(), tested.end()) == tested.end());
    }
}

TEST_CASE("folds are not stratified by continuous values, as scikit-learn refuses to") {
    auto options = unstratified();
    options.kfold = true;
    options.splits = 2;
    options.stratification_coordinate = "object_name";
    auto table = presentations(40);
    std::vector<double> classes(40, 1);
    std::fill_n(classes.begin(), 20, 2);
    relabel(table, "object_name", classes);
    CHECK(cross_validation_splits(table, options).size() == 2);
    std::fill_n(classes.begin(), 20, 2.5);
    relabel(table, "object_name", classes);
    CHECK_THROWS_WITH(cross_validation_splits(table, options),
                      Contains("'object_name'") && Contains("2.5"));
    relabel(table, "object_name", std::vector<float>(classes.begin(), classes.end()));
    CHECK_THROWS_WITH(cross_validation_splits(table, options), Contains("2.5"));
    options.kfold = false;
    CHECK_NOTHROW(cross_validation_splits(table, options));
}

TEST_CASE("rows are not stratified by labels that are missing, as scikit-learn refuses to") {
    auto options = unstratified();
    options.stratification_coordinate = "object_name";
    auto table = presentations(40);
    std::vector<double> classes(40, 1);
    std::fill_n(classes.begin(), 20, GENERATE(std::nan(""), HUGE_VAL));
    relabel(table, "object_name", classes);
    CHECK_THROWS_WITH(cross_validation_splits(table, options),
                      Contains("'object_name' (it is NaN or infinite for 20 of 40)"));
}

TEST_CASE("a repeated stimulus can be on both sides unless stimuli are split as such") {
    auto repeated = presentations(12);
    relabel(repeated, "stimulus_id", std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    auto options = unstratified();
    options.train_size = 0.5;
    bool leaks = false;
    for (const auto& fold : cross_validation_splits(repeated, options))
        leaks = leaks || fold.train.size() + fold.test.size() > 12;
    CHECK(leaks);

    options.unique_split_values = true;
    for (const auto& fold : cross_validation_splits(repeated, options)) {
        CHECK(fold.train.size() == 6);
        CHECK(fold.test.size() == 6);
        for (const auto row : fold.train)
            CHECK(!std::count(fold.test.begin(), fold.test.end(), (row + 6) % 12));
    }
}

TEST_CASE("a coordinate to stratify by that is not there is an error with the cure") {
    auto plain = presentations(20);
    plain.coordinates.erase(plain.coordinates.begin() + 1);
    CHECK_THROWS_AS(cross_validation_splits(plain, {}), InputError);
    CHECK_THROWS_WITH(cross_validation_splits(plain, {}),
                      Contains("'object_name'") && Contains("\"none\"") &&
                          Contains("\"crossvalidation_kwargs\": {\"stratification_coord\": null}"));
    CHECK_NOTHROW(cross_validation_splits(plain, unstratified()));
}

TEST_CASE("features and recordings have to have the same strata, however they are ordered") {
    const auto target = presentations(6);
    auto source = presentations(6);
    relabel(source, "object_name", Texts{"face", "face", "car", "face", "car", "car"});
    CHECK_NOTHROW(check_split_labels(source, target, {}));
    relabel(source, "object_name", Texts{"car", "face", "car", "car", "car", "face"});
    CHECK_THROWS_WITH(check_split_labels(source, target, {}),
                      Contains("'object_name'") && Contains("'car' stands against 'face'"));
    CHECK_NOTHROW(check_split_labels(source, target, unstratified()));
    source.coordinates.erase(source.coordinates.begin() + 1);
    CHECK_NOTHROW(check_split_labels(source, target, {}));
}

TEST_CASE("features and recordings have to have the same values to split by") {
    auto options = unstratified();
    options.split_coordinate = "object_name";
    const auto target = presentations(6);
    auto source = presentations(6);
    CHECK_NOTHROW(check_split_labels(source, target, options));
    relabel(source, "object_name", Texts{"car", "dog", "car", "dog", "car", "dog"});
    CHECK_THROWS_WITH(check_split_labels(source, target, options), Contains("'object_name'"));
}

TEST_CASE("splits that cannot be are refused") {
    auto options = unstratified();
    options.splits = 0;
    CHECK_THROWS_AS(cross_validation_splits(presentations(20), options), InputError);
    options = unstratified();
    options.split_coordinate = "neuroid_id";
    CHECK_THROWS_WITH(cross_validation_splits(presentations(20), options),
                      Contains("cannot split by 'neuroid_id'"));
    options = unstratified();
    options.kfold = true;
    options.test_size = 0.5;
    CHECK_THROWS_WITH(cross_validation_splits(presentations(20), options), Contains("kfold"));
}

TEST_CASE("a test side of one presentation is refused: it has no correlation") {
    CHECK_THROWS_WITH(cross_validation_splits(presentations(10), unstratified()),
                      Contains("fewer than two to test on"));
}

TEST_CASE("splits of repeated presentations equal the reference's") {
    const auto expected = test::golden("splits/expected.build_splits.json");
    const auto input = test::golden_path("splits/repeated.nc");
    if (!expected || !input) return;
    const auto repeated = io::read_assembly(*input);
    for (const auto& golden : *expected) {
        const auto& arguments = golden.at("kwargs");
        INFO(arguments.dump());
        const auto options = options_from(arguments);
        if (golden.contains("raises")) {
            CHECK_THROWS_AS(cross_validation_splits(repeated, options), InputError);
            continue;
        }
        const auto folds = cross_validation_splits(repeated, options);
        REQUIRE(folds.size() == golden.at("splits").size());
        for (std::size_t f = 0; f < folds.size(); ++f) {
            CHECK(folds[f].train == golden.at("splits")[f].at("train_rows").get<Rows>());
            CHECK(folds[f].test == golden.at("splits")[f].at("test_rows").get<Rows>());
        }
    }
}

TEST_CASE("splits of recordings equal the reference's") {
    for (const std::string folder :
         {"neural_small_f64/", "neural_odd_f64/", "neural_medium_f32/", "neural_wide_f32/"}) {
        const auto expected = test::golden(folder + "expected.splits.json");
        const auto input = test::golden_path(folder + "target.nc");
        if (!expected || !input) return;
        const auto folds = cross_validation_splits(io::read_assembly(*input), {});
        REQUIRE(folds.size() == expected->size());
        for (std::size_t f = 0; f < folds.size(); ++f) {
            CHECK(folds[f].train == sorted((*expected)[f].at("train")));
            CHECK(folds[f].test == sorted((*expected)[f].at("test")));
        }
    }
}
