#include "metrics/pairing.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using ventral::core::InputError;
using ventral::metrics::pair_rows;
using ventral::metrics::StimuliOf;
using Rows = std::vector<std::size_t>;

TEST_CASE("rows are paired by stimulus, in any order") {
    CHECK(pair_rows({"a", "b", "c"}, {"c", "a", "b"}) == Rows{2, 0, 1});
    CHECK(pair_rows({}, {}).empty());
}

TEST_CASE("of repeated stimuli the first is paired with the first") {
    CHECK(pair_rows({"b", "a", "b", "a"}, {"a", "a", "b", "b"}) == Rows{1, 3, 0, 2});
}

TEST_CASE("a stimulus without features is named") {
    CHECK_THROWS_AS(pair_rows({"a", "b"}, {"a", "odd"}), InputError);
    CHECK_THROWS_WITH(
        pair_rows({"a", "b"}, {"a", "odd"}),
        Contains("'odd' is in the recordings, but not in the features, where 'a' is first)"));
    CHECK_THROWS_WITH(pair_rows({}, {"odd"}), Contains("but not in the features) score"));
    CHECK_THROWS_WITH(
        pair_rows({"a"}, {"a", "a"}),
        Contains("'a' is in the recordings 2 times, in the features 1 time) average") &&
            Contains("drop them, { file = …, drop = [\"session\"] } in the dataset's TOML"));
}

TEST_CASE("a stimulus without recordings is named") {
    CHECK_THROWS_AS(pair_rows({"a", "odd"}, {"a"}), InputError);
    CHECK_THROWS_WITH(
        pair_rows({"a", "odd"}, {"a"}),
        Contains("'odd' is in the features, but not in the recordings, where 'a' is first) "
                 "score"));
    CHECK_THROWS_WITH(
        pair_rows({"a", "b", "b"}, {"a", "b"}),
        EndsWith("'b' is in the features 2 times, in the recordings 1 time) keep one row of it for "
                 "each of the recordings"));
}

TEST_CASE("stimuli of a table are not called features") {
    CHECK_THROWS_WITH(
        pair_rows({"a", "odd"}, {"a"}, StimuliOf::table),
        "the stimulus ids of the table of stimuli and of the recordings differ (stimulus 'odd' is "
        "in the table of stimuli, but not in the recordings, where 'a' is first) score recordings "
        "with the stimuli that they were recorded with and no others, unless a benchmark selects "
        "them");
}

TEST_CASE("stimuli with the names of their files for ids are told apart from other stimuli") {
    const auto by_file = Contains("give both the ids of one table of stimuli");
    CHECK_THROWS_WITH(
        pair_rows({"a.jpg", "b.jpg"}, {"a", "b"}),
        by_file && Contains("'a' is in the recordings, in the features there is 'a.jpg'"));
    CHECK_THROWS_WITH(pair_rows({"b", "a"}, {"a.png", "b.png"}), by_file);
    CHECK_THROWS_WITH(pair_rows({"a.jpg.2", "a2"}, {"a"}), !by_file);
}
