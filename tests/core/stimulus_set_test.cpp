#include "core/stimulus_set.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;

namespace {

StimulusSet two_stimuli() {
    return {"pictures",
            {"a", "b"},
            {"a.png", "b.png"},
            {8, 8},
            {{"object_name", std::vector<std::string>{"car", "dog"}},
             {"variation", std::vector<std::int64_t>{0, 6}}}};
}

Assembly presentations(std::vector<std::string> ids) {
    Assembly assembly;
    assembly.name = "responses.nc";
    assembly.dims = {{"presentation", ids.size()}};
    assembly.values = std::vector<double>(ids.size());
    assembly.coordinates = {{"stimulus_id", "presentation", std::move(ids)}};
    return assembly;
}

}  // namespace

TEST_CASE("presentations get the columns of their stimulus") {
    const auto merged = merge_stimulus_columns(presentations({"b", "a", "b"}), two_stimuli());
    CHECK(texts(merged, "object_name") == std::vector<std::string>{"dog", "car", "dog"});
    CHECK(texts(merged, "variation") == std::vector<std::string>{"6", "0", "6"});
    CHECK_NOTHROW(check_consistent(merged));
}

TEST_CASE("a coordinate that is there keeps its labels") {
    auto assembly = presentations({"b"});
    assembly.coordinates.push_back({"variation", "presentation", std::vector<std::int64_t>{3}});
    const auto merged = merge_stimulus_columns(assembly, two_stimuli());
    CHECK(texts(merged, "variation") == std::vector<std::string>{"3"});
}

TEST_CASE("a presentation of an unknown stimulus is an error that names both") {
    CHECK_THROWS_AS(merge_stimulus_columns(presentations({"c"}), two_stimuli()), InputError);
    CHECK_THROWS_WITH(merge_stimulus_columns(presentations({"c"}), two_stimuli()),
                      Catch::Contains("'c'") && Catch::Contains("'pictures'"));
}

TEST_CASE("a stimulus whose number is written otherwise in the set is named as it is there") {
    auto stimuli = two_stimuli();
    stimuli.stimulus_ids = {"a", "0900"};
    CHECK_THROWS_WITH(merge_stimulus_columns(presentations({"900"}), stimuli),
                      Catch::EndsWith("stimulus '900' (stimulus set 'pictures' has '0900', the "
                                      "same number in other letters) write it alike in both"));
    stimuli.stimulus_ids = {"a", "0e1"};
    CHECK_THROWS_WITH(merge_stimulus_columns(presentations({"0"}), stimuli),
                      Catch::Contains("no such stimulus"));
}
