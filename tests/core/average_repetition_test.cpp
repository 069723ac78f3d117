#include "core/average_repetition.hpp"

#include <cmath>
#include <fstream>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/shared.hpp"

using namespace ventral::core;
using Catch::Matchers::Contains;

namespace {

/// Five presentations of two stimuli × 2 neuroids.
Assembly repeated() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Assembly assembly;
    assembly.dims = {{"presentation", 5}, {"neuroid", 2}};
    assembly.values = std::vector<float>{1, nan, 10, 20, 3, nan, 30, nan, 5, nan};
    assembly.coordinates = {
        {"stimulus_id", "presentation", std::vector<std::string>{"s9", "s10", "s9", "s10", "s9"}},
        {"repetition", "presentation", std::vector<std::int64_t>{0, 0, 1, 1, 2}},
        {"neuroid_id", "neuroid", std::vector<std::string>{"n1", "n2"}}};
    assembly.attributes["region"] = std::string("IT");
    return assembly;
}

std::vector<double> numbers(const Assembly& assembly) {
    return std::get<std::vector<double>>(assembly.values);
}

}  // namespace

TEST_CASE("presentations of one stimulus are averaged, missing values left out") {
    const auto averaged = average_repetition(repeated());
    CHECK(texts(averaged, "stimulus_id") == std::vector<std::string>{"s10", "s9"});
    const auto means = numbers(averaged);
    REQUIRE(means.size() == 4);
    CHECK(means[0] == 20);  // (10 + 30) / 2
    CHECK(means[1] == 20);  // 20 and a missing one
    CHECK(means[2] == 3);   // (1 + 3 + 5) / 3
    CHECK(std::isnan(means[3]));
    CHECK(find_coordinate(averaged, "repetition") == nullptr);
    CHECK(texts(averaged, "neuroid_id") == std::vector<std::string>{"n1", "n2"});
    CHECK(std::get<std::string>(averaged.attributes.at("region")) == "IT");
    CHECK_NOTHROW(check_consistent(averaged));
}

TEST_CASE("a coordinate that varies within a stimulus breaks its averages up") {
    auto assembly = repeated();
    assembly.coordinates.push_back(
        {"session", "presentation", std::vector<std::int64_t>{2, 1, 1, 1, 2}});
    const auto averaged = average_repetition(assembly);
    CHECK(texts(averaged, "stimulus_id") == std::vector<std::string>{"s10", "s9", "s9"});
    CHECK(texts(averaged, "session") == std::vector<std::string>{"1", "1", "2"});
    CHECK(numbers(averaged)[2] == 3);
    CHECK(numbers(averaged)[4] == 3);  // (1 + 5) / 2
}

TEST_CASE("presentations may be any dimension") {
    const auto turned = transpose(repeated(), {"neuroid", "presentation"});
    const auto averaged = average_repetition(turned);
    CHECK(averaged.dims[1].size == 2);
    CHECK(numbers(averaged)[0] == 20);
    CHECK(numbers(averaged)[1] == 3);
    CHECK(numbers(averaged)[2] == 20);
}

TEST_CASE("recordings that cannot be averaged are refused with the cure") {
    auto assembly = repeated();
    assembly.coordinates.erase(assembly.coordinates.begin() + 1);
    CHECK_THROWS_AS(average_repetition(assembly), InputError);
    CHECK_THROWS_WITH(average_repetition(assembly), Contains("'repetition'"));

    assembly = repeated();
    assembly.coordinates.erase(assembly.coordinates.begin());
    CHECK_THROWS_WITH(average_repetition(assembly), Contains("stimulus_id"));

    assembly = repeated();
    assembly.values = std::vector<std::string>(10, "left");
    CHECK_THROWS_WITH(average_repetition(assembly), Contains("strings"));
}

TEST_CASE("averages equal the reference's") {
    for (const std::string input : {"even", "unequal", "missing"}) {
        const auto folder = "goldens/public/ceilings/";
        const auto golden =
            ventral::test::shared_path(folder + ("expected.average_repetition-" + input + ".json"));
        const auto recordings = ventral::test::shared_path(folder + input + ".nc");
        if (!golden || !recordings) {
            WARN("skipped: VENTRAL_SHARED names no folder with the goldens");
            return;
        }
        const auto expected = nlohmann::json::parse(std::ifstream(*golden)).at("expected");
        const auto averaged = average_repetition(ventral::io::read_assembly(*recordings));
        const auto means = numbers(averaged);
        std::size_t i = 0;
        for (const auto& row : expected.at("values")) {
            for (const auto& value : row) {
                const bool equal = value.is_null()
                                       ? std::isnan(means.at(i))
                                       : means.at(i) == Approx(value.get<double>()).epsilon(1e-14);
                if (!equal) FAIL_CHECK(input << ", value " << i << ": " << means.at(i));
                ++i;
            }
        }
        CHECK(i == means.size());
        const auto ids = expected.at("coords").at("stimulus_id").at("values");
        CHECK(texts(averaged, "stimulus_id") == ids.get<std::vector<std::string>>());
    }
}
