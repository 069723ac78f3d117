#include "core/workers.hpp"

#include <atomic>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
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

TEST_CASE("isolated work runs no task that could wait for it") {
    // Every task waits for the same work, which the first of them does: with other tasks on top of
    // it, that thread would wait for itself.
    for (const std::size_t threads : {1, 2, 5}) {
        for (int repetition = 0; repetition < 50; ++repetition) {
            Workers workers(threads);
            std::atomic<int> begun = 0;
            std::atomic<bool> done = false;
            std::atomic<int> pieces = 0;
            std::atomic<int> satisfied = 0;
            const auto need = [&] {
                if (begun++ == 0)
                    workers.run_isolated([&] {
                        workers.parallel_for(20, [&](std::size_t) { ++pieces; });
                        workers.parallel_for(20, [&](std::size_t) { ++pieces; });
                        done = true;
                    });
                else
                    workers.wait_for_isolated([&] { return done.load(); });
                satisfied += pieces == 40;
            };
            workers.parallel_for(6, [&](std::size_t) {
                workers.parallel_for(4, [&](std::size_t) { need(); });
                need();
            });
            CHECK(begun == 6 * 5);
            CHECK(satisfied == 6 * 5);
        }
    }
}

TEST_CASE("a failure of isolated work is its caller's, and tasks nest as before") {
    Workers workers(2);
    CHECK_THROWS_WITH(workers.run_isolated([] { throw std::runtime_error("isolated"); }),
                      "isolated");
    std::atomic<int> leaves = 0;
    workers.parallel_for(
        3, [&](std::size_t) { workers.parallel_for(3, [&](std::size_t) { ++leaves; }); });
    CHECK(leaves == 9);
}

TEST_CASE("the interlude is the owner's, after its tasks and while it waits for those of others") {
    for (const std::size_t threads : {1, 3}) {
        Workers workers(threads);
        const auto owner = std::this_thread::get_id();
        std::atomic<int> played = 0;
        std::atomic<bool> is_foreign = false;
        workers.set_interlude([&] {
            ++played;
            if (std::this_thread::get_id() != owner) is_foreign = true;
        });
        workers.interlude();
        CHECK(played == 1);
        std::thread([&] { workers.interlude(); }).join();
        CHECK(played == 1);
        // Those of the others end once the owner, which has none left, has looked up.
        workers.parallel_for(threads, [&](std::size_t) {
            if (std::this_thread::get_id() == owner) return;
            while (played < 3) std::this_thread::yield();
        });
        CHECK(played >= 2);
        CHECK_FALSE(is_foreign);
        workers.set_interlude({});
        const int before = played;
        workers.parallel_for(10, [](std::size_t) {});
        CHECK(played == before);
    }
}
