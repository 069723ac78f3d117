#include "leaderboard/aligned_columns.hpp"

#include <catch2/catch.hpp>

using namespace ventral::leaderboard;

TEST_CASE("columns are as wide as their widest cell, whatever bytes its characters have") {
    CHECK(aligned_columns({{"a", "b", "c"}, {"ü ± 1", "", "d"}, {"x"}}, 1) ==
          " a      b  c\n"
          " ü ± 1     d\n"
          " x\n");
    CHECK(aligned_columns({}, 3).empty());
}

TEST_CASE("the widest line counts characters, not bytes") {
    CHECK(shown_width("0.5 ± 0.1") == 9);
    CHECK(widest_line("ab\n±±±\nc\n") == 3);
    CHECK(widest_line("") == 0);
}
