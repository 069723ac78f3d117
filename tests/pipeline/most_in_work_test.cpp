#include "pipeline/outlook/most_in_work.hpp"

#include <catch2/catch.hpp>

using namespace ventral;
using metrics::FitBuffers;

namespace {

FitBuffers score(double task, double group, double fold, std::size_t groups) {
    FitBuffers buffers;
    buffers.task = task;
    buffers.group = group;
    buffers.fold = fold;
    buffers.groups = groups;
    buffers.folds_a_group = 5;
    return buffers;
}

/// What the only rank holds.
double alone(const std::vector<FitBuffers>& scores, std::size_t threads) {
    const auto most = pipeline::most_in_work(scores, {1, threads});
    CHECK(most.rank == most.node);
    return most.rank;
}

}  // namespace

TEST_CASE("several ranks take the groups in turn, each from where the others are") {
    const auto small = score(10, 100, 1, 2);
    const auto large = score(1000, 200, 3, 1);
    auto most = pipeline::most_in_work({small, large}, {2, 1});
    CHECK(most.rank == 1000 + 200 + 3);
    CHECK(most.node == (10 + 100 + 1) + (1000 + 200 + 3));
    // One rank takes the first two and the last two; of two ranks one may take those between.
    const auto little = score(0, 10, 1, 1);
    const auto much = score(0, 100, 1, 1);
    CHECK(alone({little, much, much, little}, 2) == 10 + 100 + 2);
    most = pipeline::most_in_work({little, much, much, little}, {2, 2});
    CHECK(most.rank == 2 * 100 + 2);
    CHECK(most.node == 2 * (10 + 100 + 2));
    // Each has what it shares for itself.
    CHECK(pipeline::most_in_work({small}, {2, 1}).node == 2 * (10 + 100 + 1));
    auto copied = small;
    copied.rank = 5;
    CHECK(pipeline::most_in_work({copied}, {3, 1}).node == 2 * (10 + 100 + 1) + 3 * 5);
}

TEST_CASE("a rank holds as many groups and folds as it has workers") {
    const auto small = score(10, 100, 1, 2);
    const auto large = score(1000, 200, 3, 1);
    CHECK(alone({small}, 1) == 10 + 100 + 1);
    CHECK(alone({small}, 2) == 10 + 2 * 100 + 2 * 1);
    CHECK(alone({small}, 8) == 10 + 2 * 100 + 8 * 1);
    // The third group is of the other score.
    CHECK(alone({small, large}, 1) == 1000 + 200 + 3);
    CHECK(alone({small, large}, 3) == 10 + 1000 + 2 * 100 + 200 + 2 * 1 + 3);
    // Each of two workers has a group, until one is done and helps with the other's folds.
    const auto one = score(10, 100, 1, 1);
    CHECK(alone({one, score(0, 20, 50, 1)}, 2) == 10 + 100 + 1 + 20 + 50);
    CHECK(alone({one, score(0, 20, 500, 1)}, 2) == 20 + 2 * 500);
    // What is shared is made before its groups have anything.
    auto shared = small;
    shared.making = 500;
    CHECK(alone({shared}, 2) == 500);
    CHECK(alone({shared, large}, 3) == 500 + 1000 + 200 + 3);
    shared.making = 200;
    CHECK(alone({shared}, 2) == 10 + 2 * 100 + 2 * 1);
    auto copied = small;
    copied.rank = 5;
    CHECK(alone({copied}, 1) == 5 + 10 + 100 + 1);
}
