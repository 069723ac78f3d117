#include "io/journal/score_json.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"

using namespace ventral;
using Catch::Matchers::Contains;
using core::InputError;
using Json = nlohmann::json;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

core::Score two_splits() {
    core::Score score;
    score.value = 1.0 / 3;
    score.error = 0.1;
    score.raw.dims = {{"split", 2}, {"neuroid", 3}};
    score.raw.values = std::vector<double>{0.1, missing, infinity, -infinity, 1e-300, -0.5};
    score.raw.coordinates = {{"split", "split", std::vector<std::int64_t>{0, 1}},
                             {"neuroid_id", "neuroid", std::vector<std::string>{"a", "b", "c"}}};
    score.raw.attributes["alpha"] = 2.0;
    score.route = "gram";
    score.undefined_neuroids = 1;
    score.warnings = {"careful"};
    return score;
}

core::ScoreRecord full_record() {
    core::ScoreRecord record;
    record.key = "0123";
    record.model = "alexnet";
    record.benchmark = "dicarlo.V4";
    record.version = 3;
    record.parent = "V4";
    record.region = "V4";
    record.layer = "features.3+features.6";
    record.committed = true;
    record.status = core::ScoreStatus::scored;
    record.value = 1.0 / 3;
    record.error = 0.01;
    record.raw_value = 0.5;
    record.normalisation = "explained_variance";
    record.ceiling = core::CeilingValue{0.75, 0.002};
    record.slices = {{"0 to 70 ms", 0.25, 0.5, {}, 0.75, 0.01},
                     {"late", missing, -1, 0.125, {}, {}}};
    record.raw = core::ArrayPlace{"raw.bin", 1234567890123, 880, 4000000000U};
    record.raw_shape = {10, 88};
    record.raw_labels = "89ab";
    record.margins = {0.25, 1e-13};
    record.route = "gram";
    record.undefined_neuroids = 2;
    record.warnings = {"one", "two: \"quoted\"\nand broken"};
    record.provenance = {{"code", "f00d"}};
    record.timing = {{"gram", 1.5}};
    record.memory = {{"peak", 1e9}};
    return record;
}

core::ScoreRecord there_and_back(const core::ScoreRecord& record) {
    return io::score_record_from_json(io::to_json(record));
}

/// The JSON of a full record with one member replaced, or taken out.
std::string with(const std::string& name, const Json& value) {
    auto json = Json::parse(io::to_json(full_record()));
    json[name] = value;
    return json.dump();
}
std::string without(const std::string& name) {
    auto json = Json::parse(io::to_json(full_record()));
    json.erase(name);
    return json.dump();
}

}  // namespace

TEST_CASE("a score is written in the shape of the goldens") {
    const auto json = Json::parse(io::to_json(two_splits()));
    CHECK(json.at("value") == 1.0 / 3);
    CHECK(json.at("error") == 0.1);
    const auto& raw = json.at("raw");
    CHECK(raw.at("dims") == Json({"split", "neuroid"}));
    CHECK(raw.at("shape") == Json({2, 3}));
    CHECK(raw.at("dtype") == "float64");
    CHECK(raw.at("values") == Json::parse(R"([[0.1, null, "inf"], ["-inf", 1e-300, -0.5]])"));
    CHECK(raw.at("coords").at("split") == Json::parse(R"({"dims": ["split"], "values": [0, 1]})"));
    CHECK(raw.at("coords").at("neuroid_id").at("values") == Json({"a", "b", "c"}));
    CHECK(raw.at("attrs").at("alpha") == 2.0);
    CHECK(json.at("margins") ==
          Json::parse(R"({"pls_stop": "inf", "guard": 0.0, "alpha_gap": "inf", "argmax_gap": "inf",
                               "rank_gap": "inf"})"));
    CHECK(json.at("route") == "gram");
    CHECK(json.at("undefined_neuroids") == 1);
    CHECK(json.at("warnings") == Json({"careful"}));
}

TEST_CASE("value, error and raw values of a score come back") {
    const auto given = two_splits();
    const auto back = io::score_from_json(io::to_json(given));
    CHECK(back.value == given.value);
    CHECK(back.error == given.error);
    REQUIRE(back.raw.dims.size() == 2);
    CHECK(back.raw.dims[1].name == "neuroid");
    const auto& values = std::get<std::vector<double>>(back.raw.values);
    CHECK(values[0] == 0.1);
    CHECK(std::isnan(values[1]));
    CHECK(values[3] == -infinity);
    CHECK(core::texts(back.raw, "neuroid_id") == std::vector<std::string>{"a", "b", "c"});
    CHECK(std::holds_alternative<std::vector<std::int64_t>>(
        core::coordinate(back.raw, "split").values));
}

TEST_CASE("vectors of a score come back as such, what it lacks stays away") {
    core::Score given = two_splits();
    given.error.reset();
    given.value_array =
        core::Assembly{"data",
                       {{"time_bin", 2}},
                       std::vector<double>{0.5, missing},
                       {{"time_bin_start", "time_bin", std::vector<double>{70, 0.5}}},
                       {}};
    const auto back = io::score_from_json(io::to_json(given));
    REQUIRE(back.value_array.has_value());
    CHECK(std::get<std::vector<double>>(back.value_array->values)[0] == 0.5);
    CHECK(core::texts(*back.value_array, "time_bin_start") ==
          core::texts(*given.value_array, "time_bin_start"));
    CHECK_FALSE(back.error.has_value());
    CHECK_FALSE(back.error_array.has_value());
    CHECK(io::score_from_json(R"({"value": 0.5})").raw.dims.empty());
}

TEST_CASE("what is no score is refused") {
    for (const std::string text :
         {"", "7", "{}", R"({"value": "much"})", R"({"value": 1, "raw": 2})",
          R"({"value": 1, "raw": {"dims": ["a"], "shape": [2], "values": [1], "coords": {}}})",
          R"({"value": 1, "raw": {"dims": ["a"], "shape": [], "values": [1], "coords": {}}})"})
        CHECK_THROWS_AS(io::score_from_json(text), InputError);
}

TEST_CASE("a score without an error has none in JSON, and a missing value is null") {
    core::Score score = two_splits();
    score.error.reset();
    score.value = missing;
    const auto json = Json::parse(io::to_json(score));
    CHECK(!json.contains("error"));
    CHECK(json.at("value").is_null());
}

TEST_CASE("further results stand beside the value, as the goldens have them") {
    core::Score score = two_splits();
    score.further["lower_bound_loo"] = 0.25;
    score.further_texts["ceiling"] = "split_half";
    const auto json = Json::parse(io::to_json(score));
    CHECK(json.at("lower_bound_loo") == 0.25);
    CHECK(json.at("ceiling") == "split_half");
}

TEST_CASE("a scalar of raw values is a number, not a list") {
    core::Score score;
    score.raw.values = std::vector<double>{0.5};
    CHECK(Json::parse(io::to_json(score)).at("raw").at("values") == 0.5);
}

TEST_CASE("labels that are no UTF-8 do not keep a score from being written") {
    auto score = two_splits();
    score.raw.coordinates[1].values = std::vector<std::string>{"a", "caf\xe9", "c"};
    CHECK(Json::parse(io::to_json(score)).at("raw").contains("values"));
}

TEST_CASE("a record comes back with everything that it had") {
    const auto record = there_and_back(full_record());
    const auto expected = full_record();
    CHECK(record.key == expected.key);
    CHECK(record.model == expected.model);
    CHECK(record.benchmark == expected.benchmark);
    CHECK(record.version == expected.version);
    CHECK(record.parent == expected.parent);
    CHECK(record.region == expected.region);
    CHECK(record.layer == expected.layer);
    CHECK(record.committed == expected.committed);
    CHECK(record.status == expected.status);
    CHECK(record.value == expected.value);
    CHECK(record.error == expected.error);
    CHECK(record.raw_value == expected.raw_value);
    CHECK(record.normalisation == expected.normalisation);
    REQUIRE(record.ceiling);
    CHECK(record.ceiling->value == 0.75);
    CHECK(record.ceiling->error == 0.002);
    REQUIRE(record.slices.size() == 2);
    CHECK(record.slices[0].name == "0 to 70 ms");
    CHECK(record.slices[0].value == 0.25);
    CHECK(record.slices[0].raw_value == 0.5);
    CHECK_FALSE(record.slices[0].error.has_value());
    CHECK(record.slices[0].ceiling == 0.75);
    CHECK(record.slices[0].ceiling_error == 0.01);
    CHECK(std::isnan(record.slices[1].value));
    CHECK(record.slices[1].error == 0.125);
    REQUIRE(record.raw);
    CHECK(record.raw->file == "raw.bin");
    CHECK(record.raw->offset == 1234567890123);
    CHECK(record.raw->count == 880);
    CHECK(record.raw->crc == 4000000000U);
    CHECK(record.raw_shape == expected.raw_shape);
    CHECK(record.raw_labels == expected.raw_labels);
    CHECK(record.margins.pls_stop == 0.25);
    CHECK(record.margins.guard == 1e-13);
    CHECK(record.route == expected.route);
    CHECK(record.undefined_neuroids == expected.undefined_neuroids);
    CHECK(record.warnings == expected.warnings);
    CHECK(record.provenance == expected.provenance);
    CHECK(record.timing == expected.timing);
    CHECK(record.memory == expected.memory);
    CHECK(!record.failure);
}

TEST_CASE("a record is one line") {
    CHECK(io::to_json(full_record()).find('\n') == std::string::npos);
}

TEST_CASE("what a record has not is not there when it comes back") {
    const auto record = there_and_back({});
    CHECK(!record.value);
    CHECK(!record.error);
    CHECK(!record.raw_value);
    CHECK(!record.ceiling);
    CHECK(!record.raw);
    CHECK(!record.failure);
    CHECK(record.status == core::ScoreStatus::pending);
    CHECK(record.margins.pls_stop == infinity);
}

TEST_CASE("a missing value stays a value, and infinities keep their sign") {
    auto record = full_record();
    record.value = missing;
    record.raw_value = -infinity;
    record.ceiling = core::CeilingValue{missing, {}};
    record.timing["never"] = infinity;
    const auto back = there_and_back(record);
    REQUIRE(back.value);
    CHECK(std::isnan(*back.value));
    CHECK(back.raw_value == -infinity);
    REQUIRE(back.ceiling);
    CHECK(std::isnan(back.ceiling->value));
    CHECK(!back.ceiling->error);
    CHECK(back.timing.at("never") == infinity);
}

TEST_CASE("a failure comes back with its class and reason") {
    for (const auto failure_class :
         {core::FailureClass::deterministic, core::FailureClass::transient,
          core::FailureClass::out_of_memory, core::FailureClass::crashed,
          core::FailureClass::timeout}) {
        auto record = full_record();
        record.status = core::ScoreStatus::failed;
        record.failure = core::Failure{failure_class, "the layer is not there"};
        CHECK(Json::parse(io::to_json(record)).at("kind") == "failed");
        const auto back = there_and_back(record);
        CHECK(back.status == core::ScoreStatus::failed);
        REQUIRE(back.failure);
        CHECK(back.failure->failure_class == failure_class);
        CHECK(back.failure->reason == "the layer is not there");
    }
}

TEST_CASE("a reason that is no UTF-8 is kept as far as it is") {
    auto record = full_record();
    record.failure = core::Failure{core::FailureClass::crashed, "caf\xe9!"};
    CHECK_THAT(there_and_back(record).failure.value().reason,
               Catch::StartsWith("caf") && Catch::EndsWith("!"));
}

TEST_CASE("records of a list come back in its order") {
    auto other = full_record();
    other.key = "4567";
    const auto list = "[\n" + io::to_json(full_record()) + ",\n" + io::to_json(other) + "\n]\n";
    const auto read = [](const std::string& text) {
        std::vector<core::ScoreRecord> records;
        io::for_each_score_record(text, [&](auto record) { records.push_back(std::move(record)); });
        return records;
    };
    const auto records = read(list);
    REQUIRE(records.size() == 2);
    CHECK(io::to_json(records[0]) == io::to_json(full_record()));
    CHECK(io::to_json(records[1]) == io::to_json(other));
    CHECK(read("[]").empty());
    for (const std::string& wrong :
         {list.substr(0, list.size() / 2), std::string("{}"), std::string("[{}]"),
          std::string("[[]"), std::string("[1]"), std::string("[[{}]]"), std::string()})
        CHECK_THROWS_AS(read(wrong), InputError);
}

TEST_CASE("a record that lacks a member or has it of another type is refused") {
    CHECK_NOTHROW(io::score_record_from_json(with("kind", "score")));
    for (const std::string name : {"key", "status", "margins", "warnings", "timing"})
        CHECK_THROWS_AS(io::score_record_from_json(without(name)), InputError);
    CHECK_THROWS_AS(io::score_record_from_json(with("version", "one")), InputError);
    CHECK_THROWS_AS(io::score_record_from_json(with("value", Json::array())), InputError);
    CHECK_THROWS_AS(io::score_record_from_json(with("value", "much")), InputError);
    CHECK_THROWS_AS(io::score_record_from_json(with("raw", 3)), InputError);
    CHECK_THROWS_AS(io::score_record_from_json("{"), InputError);
    CHECK_THROWS_WITH(io::score_record_from_json(with("status", "odd")), Contains("status"));
    CHECK_THROWS_WITH(
        io::score_record_from_json(
            Json::parse(with("reason", "odd"))
                .patch(Json::parse(R"([{"op": "add", "path": "/class", "value": "odd"}])"))
                .dump()),
        Contains("failure class"));
}
