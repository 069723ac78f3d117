#include "benchmarks/unlike_recordings.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

using Texts = std::vector<std::string>;

core::Assembly labels(const core::Values& stimuli, const Texts& neuroids) {
    core::Assembly labels;
    labels.dims = {{"presentation", core::value_count(stimuli)}, {"neuroid", neuroids.size()}};
    labels.coordinates = {{"stimulus_id", "presentation", stimuli},
                          {"neuroid_id", "neuroid", neuroids}};
    return labels;
}

const auto scored = labels(Texts{"1", "2", "3"}, {"a", "b"});

}  // namespace

TEST_CASE("repetitions of the stimuli and neuroids that are scored are alike, in any order") {
    const auto repetitions = labels(Texts{"3", "1", "1", "2", "3"}, {"b", "a"});
    CHECK_FALSE(benchmarks::unlike_recordings(scored, repetitions));
    const std::vector<std::int64_t> numbers{2, 3, 1};
    CHECK_FALSE(benchmarks::unlike_recordings(scored, labels(numbers, {"a", "b"})));
}

TEST_CASE("repetitions of another day are told from what is scored") {
    CHECK(benchmarks::unlike_recordings(scored, labels(Texts{"2", "2"}, {"a", "b"})) ==
          "lacks 2 of 3 stimulus_ids that are scored");
    CHECK(benchmarks::unlike_recordings(scored, labels(Texts{"1", "2", "3"}, {"a", "c", "d"})) ==
          "lacks 1 of 2 neuroid_ids that are scored, has 2 neuroid_ids more");
    CHECK(benchmarks::unlike_recordings(scored, labels(Texts{"1", "2", "3", "4"}, {"a"})) ==
          "has 1 stimulus_id more, lacks 1 of 2 neuroid_ids that are scored");
}

TEST_CASE("recordings without names of neuroids are compared by their stimuli") {
    auto repetitions = labels(Texts{"1", "2", "3"}, {"c"});
    repetitions.coordinates.pop_back();
    CHECK_FALSE(benchmarks::unlike_recordings(scored, repetitions));
}
