#include "core/workers.hpp"

#include <atomic>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using ventral::core::Workers;

TEST_CASE("every task runs once, whatever the number of threads") {
    for (const std::size_t threads : {1, 2, 5}) {
        Workers workers(threads);
        CHECK(workers.threads() == threads);
        std::vector<int> runs(1000, 0);
        workers.parallel_for(runs.size(), [&](std::size_t i) { ++runs[i]; });
        CHECK(runs == std::vector<int>(1000, 1));
        workers.parallel_for(0, [](std::size_t) { throw std::runtime_error("no task"); });
    }
}

TEST_CASE("tasks may have tasks of their own") {
    for (const std::size_t threads : {1, 2, 4}) {
        Workers workers(threads);
        std::atomic<int> leaves = 0;
        workers.parallel_for(7, [&](std::size_t) {
            workers.parallel_for(
                5, [&](std::size_t) { workers.parallel_for(3, [&](std::size_t) { ++leaves; }); });
        });
        CHECK(leaves == 7 * 5 * 3);
    }
}

TEST_CASE("of several failing tasks the lowest index is reported, after all have ended") {
    for (const std::size_t threads : {1, 3}) {
        Workers workers(threads);
        std::atomic<int> ended = 0;
        const auto task = [&](std::size_t i) {
            ++ended;
            if (i % 10 == 4) throw std::runtime_error("task " + std::to_string(i));
        };
        CHECK_THROWS_WITH(workers.parallel_for(50, task), "task 4");
        CHECK(ended == 50);
        ended = 0;
        workers.parallel_for(3, task);  // the pool is as good as before
        CHECK(ended == 3);
    }
}

TEST_CASE("a failure of an inner task is a failure of the outer one") {
    Workers workers(2);
    const auto outer = [&](std::size_t i) {
        workers.parallel_for(4, [&](std::size_t j) {
            if (i == 1 && j == 2) throw std::runtime_error("inner");
        });
    };
    CHECK_THROWS_WITH(workers.parallel_for(3, outer), "inner");
}

TEST_CASE("a posted task runs, at once if there is no other thread") {
    Workers alone(1);
    bool ran = false;
    alone.post([&] { ran = true; });
    CHECK(ran);

    Workers pool(2);
    std::promise<int> promise;
    pool.post([&] { promise.set_value(7); });
    CHECK(promise.get_future().get() == 7);
}

TEST_CASE("posted tasks may use the pool, and all have run when it is gone") {
    std::atomic<int> leaves = 0;
    {
        Workers pool(3);
        for (int i = 0; i < 20; ++i) {
            pool.post([&] { pool.parallel_for(4, [&](std::size_t) { ++leaves; }); });
        }
        pool.parallel_for(10, [&](std::size_t) { ++leaves; });
    }
    CHECK(leaves == 90);
}
