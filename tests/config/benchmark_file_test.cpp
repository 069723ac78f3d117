#include "config/benchmark_file.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"
#include "core/time_bin.hpp"

using namespace ventral::config;
using ventral::test::input_error;
using ventral::test::TemporaryFolder;
using ventral::test::write_file;

namespace {

const std::string least = "identifier = 'V4-{metric}'\ndataset = 'v4'\nregion = 'V4'\n";

std::vector<BenchmarkEntry> read(const std::string& text) {
    const TemporaryFolder folder;
    return read_benchmark_file(write_file(folder, "b.toml", text));
}

std::string error_of(const std::string& text) {
    const TemporaryFolder folder;
    const auto path = write_file(folder, "b.toml", text);
    return input_error([&] { read_benchmark_file(path); }, path);
}

}  // namespace

TEST_CASE("a benchmark needs an identifier, dataset, region and metric") {
    const auto members = read(least + "metric = 'pls'\n");
    REQUIRE(members.size() == 1);
    const auto& record = members[0].record;
    CHECK(record.identifier == "V4-pls");
    CHECK_THAT(record.origin, Catch::EndsWith("b.toml"));
    CHECK(record.dataset == "v4");
    CHECK(record.region == "V4");
    CHECK(record.metric.name == "pls");
    CHECK(record.version == 1);
    CHECK(record.pattern == "neural");
    CHECK(record.ceiling.name == "internal_consistency");
    CHECK(record.normalisation == "explained_variance");
    CHECK(record.time_bins.empty());
    CHECK(record.number_of_trials == 1);
    CHECK(record.expected.empty());
    CHECK_THAT(members[0].place, Catch::EndsWith("b.toml:1:14"));
    CHECK_THAT(members[0].dataset_place, Catch::EndsWith("b.toml:2:11"));
}

TEST_CASE("an unknown metric or ceiling is an error at its name, before what is expected of it") {
    CHECK_THAT(error_of(least + "metric = { name = 'plx' }\n[expected.'V4-pls']\nceiling = 0.7\n"
                                "tolerance = 0.02\n"),
               Catch::StartsWith(":4:19: unknown metric 'plx', did you mean 'pls'") &&
                   !Catch::Contains("pls_split"));
    CHECK_THAT(error_of(least + "metric = 'pls'\nceiling = 'internal_consistence'\n"),
               Catch::StartsWith(":5:11: unknown ceiling 'internal_consistence', did you mean "
                                 "'internal_consistency'"));
}

TEST_CASE("every field of a benchmark can be set") {
    const auto members = read(
        least +
        "metric = { name = 'ridge', stratification = 'none' }\nversion = 3\nparent = 'ventral'\n"
        "bibtex = '@article{x}'\npattern = 'neural'\nselect = { region = 'V4', day = [1, 2] }\n"
        "ceiling = 'none'\nnormalisation = 'none'\ntime_bins = [[0, 100], [100, 200.5]]\n"
        "dropna = 'presentation'\n"
        "number_of_trials = 10\n[expected.'V4-ridge']\nceiling = 0.73\nscore = 0.3\ntolerance = "
        "0.02\n");
    REQUIRE(members.size() == 1);
    const auto& record = members[0].record;
    CHECK(record.identifier == "V4-ridge");
    CHECK(record.version == 3);
    CHECK(record.parent == "ventral");
    CHECK(record.bibtex == "@article{x}");
    REQUIRE(record.select.size() == 2);
    CHECK(record.select[0].coordinate == "day");
    CHECK(record.select[0].values == std::vector<std::string>{"1", "2"});
    CHECK(record.ceiling.name == "none");
    CHECK(record.normalisation == "none");
    CHECK(record.time_bins == ventral::core::TimeBins{{0, 100}, {100, 200.5}});
    CHECK(record.dropna == "presentation");
    CHECK(record.number_of_trials == 10);
    REQUIRE(record.expected.size() == 2);
    CHECK(record.expected[0].quantity == ventral::benchmarks::Quantity::ceiling);
    CHECK(record.expected[0].value == 0.73);
    CHECK(record.expected[0].tolerance == 0.02);
    CHECK(record.expected[1].quantity == ventral::benchmarks::Quantity::score);
    CHECK(record.expected[1].value == 0.3);
}

TEST_CASE("lists multiply to a family") {
    const auto members = read(
        "identifier = '{region}-{metric}-{ceiling}'\nparent = '{region}'\ndataset = 'd'\n"
        "region = ['V4', 'IT']\nselect = { region = '{region}' }\n"
        "metric = ['pls', { name = 'ridge', alpha = 2 }]\nceiling = ['rsa_ceiling', 'none']\n");
    std::vector<std::string> identifiers;
    for (const auto& member : members) identifiers.push_back(member.record.identifier);
    CHECK(identifiers == std::vector<std::string>{"V4-pls-rsa_ceiling", "V4-pls-none",
                                                  "V4-ridge-rsa_ceiling", "V4-ridge-none",
                                                  "IT-pls-rsa_ceiling", "IT-pls-none",
                                                  "IT-ridge-rsa_ceiling", "IT-ridge-none"});
    CHECK(members[6].record.normalisation == "explained_variance");
    CHECK(members[7].record.normalisation == "none");
    CHECK(members[7].record.parent == "IT");
    CHECK(members[7].record.region == "IT");
    CHECK(members[7].record.select.at(0).values == std::vector<std::string>{"IT"});
    CHECK(members[7].record.metric.alpha == 2.0);
    CHECK(members[0].record.metric.alpha == 1.0);
}

TEST_CASE("datasets and normalisations multiply too") {
    const auto members = read(
        "identifier = '{dataset}-{normalisation}'\ndataset = ['a', 'b']\n"
        "region = 'V4'\nmetric = 'pls'\nnormalisation = ['none', 'ceil_score']\n");
    REQUIRE(members.size() == 4);
    CHECK(members[3].record.identifier == "b-ceil_score");
    CHECK_THAT(members[3].dataset_place, Catch::EndsWith("b.toml:2:17"));
}

TEST_CASE("two members of one name are an error") {
    CHECK(
        error_of("identifier = 'V4'\ndataset = 'd'\nregion = 'V4'\nmetric = ['pls', 'ridge']\n") ==
        ":1:14: two members of the family are called 'V4' "
        "(a key that is a list belongs into the identifier, as {metric}; a metric with several "
        "settings needs a file for each)");
}

TEST_CASE("an expectation is for a member, of a quantity, with a tolerance") {
    const auto start = least + "metric = ['pls', 'ridge']\n";
    CHECK(read(start + "[expected.'V4-ridge']\nceiling = 0.7\ntolerance = 0\n")[1]
              .record.expected.size() == 1);
    CHECK(error_of(start + "[expected.'V4-pl']\nceiling = 0.7\ntolerance = 0.1\n") ==
          ":5:1: unknown benchmark of [expected] 'V4-pl', did you mean 'V4-pls'? (known: V4-pls, "
          "V4-ridge)");
    CHECK(error_of(start + "[expected.'V4-pls']\nceiling = 0.7\n") ==
          ":5:1: key 'tolerance' is missing in [expected.V4-pls] (there are: ceiling)");
    CHECK(error_of(start + "[expected.'V4-pls']\ntolerance = 0.1\n") ==
          ":5:1: nothing is expected (give 'ceiling', 'score' or 'scores')");
    CHECK(error_of(start + "[expected.'V4-pls']\nscore = 0.7\ntolerance = -0.1\n") ==
          ":7:13: 'tolerance' may not be negative");
    const auto of_models = read(start +
                                "[expected.'V4-pls']\nscores = { vgg = 0.5, 'res.net' = 0.6 }\n"
                                "tolerance = 0.01\n")[0]
                               .record.expected;
    REQUIRE(of_models.size() == 2);
    CHECK(of_models[0].quantity == ventral::benchmarks::Quantity::score);
    CHECK(of_models[0].model + " " + of_models[1].model == "res.net vgg");
    CHECK(of_models[1].value == 0.5);
}

TEST_CASE("what is not supported yet is an error that names what is") {
    CHECK(error_of(least + "metric = 'i2n'\npattern = 'behavioural'\n") ==
          ":5:11: pattern 'behavioural' is not supported yet (supported: neural)");
}

TEST_CASE("a benchmark may require variance, but does not by itself") {
    CHECK(read(least + "metric = 'pls'\nrequire_variance = true\n")[0].record.require_variance);
    CHECK_FALSE(read(least + "metric = 'pls'\nnumber_of_trials = 9\n")[0].record.require_variance);
}

TEST_CASE("a wrong field of a benchmark is an error at its place") {
    const auto start = least + "metric = 'pls'\n";
    CHECK(error_of(least) ==
          ":1:1: key 'metric' is missing (there are: dataset, identifier, region)");
    CHECK(error_of(start + "normalisation = 'ceil_scor'\n") ==
          ":5:17: 'normalisation' may not be 'ceil_scor', did you mean 'ceil_score'? "
          "(allowed: explained_variance, ceil_score, neuroid_wise_explained_var, none)");
    CHECK(error_of(start + "version = 0\n") ==
          ":5:11: 'version' must be from 1 to 2147483647, not 0");
    CHECK(error_of(start + "time_bins = [0, 100]\n") ==
          ":5:14: entry 1 of 'time_bins' must be a list, not an integer");
    CHECK(error_of(start + "time_bins = [[0, 100, 200]]\n") ==
          ":5:14: a time bin is [start, end] in ms");
    CHECK(error_of(start + "time_bins = [[100, 100]]\n") ==
          ":5:14: a time bin must end after its start");
    CHECK(error_of(start + "time_bins = [[0, 100], [0, 100]]\n") ==
          ":5:24: the time bin is listed twice");
    CHECK(error_of(start + "number_of_trials = 1.5\n") ==
          ":5:20: 'number_of_trials' must be an integer, not a number");
    CHECK(error_of("identifier = 'V4 {metric}'\ndataset = 'd'\nregion = 'V4'\nmetric = 'pls'\n") ==
          ":1:14: identifier 'V4 pls' may not contain blanks");
    CHECK_THAT(error_of(start + "ceilings = 'none'\n"),
               Catch::StartsWith(":5:1: unknown key 'ceilings', did you mean 'ceiling'? "));
}
