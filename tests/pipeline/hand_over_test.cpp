#include "pipeline/hand_over.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <catch2/catch.hpp>

namespace ventral::pipeline {
namespace {

bool never() { return false; }

TEST_CASE("every item is computed once and taken on the calling thread") {
    for (const std::size_t threads : {1, 2, 5}) {
        core::Workers workers(threads);
        for (const std::size_t count : {0, 1, 3, 200}) {
            const auto caller = std::this_thread::get_id();
            std::vector<std::size_t> taken;
            compute_and_take<std::size_t>(workers, count,
                                          {[](std::size_t item) { return item; },
                                           [&](std::size_t item) {
                                               CHECK(std::this_thread::get_id() == caller);
                                               taken.push_back(item);
                                           },
                                           never});
            std::sort(taken.begin(), taken.end());
            std::vector<std::size_t> all(count);
            std::iota(all.begin(), all.end(), 0);
            CHECK(taken == all);
        }
    }
}

TEST_CASE("no more results exist than two for each worker") {
    struct Counted {
        std::shared_ptr<int> alive;
    };
    core::Workers workers(3);
    std::atomic<int> alive = 0;
    std::atomic<int> most = 0;
    const auto compute = [&](std::size_t) {
        const int now = ++alive;
        for (int before = most; now > before && !most.compare_exchange_weak(before, now);) continue;
        return Counted{std::shared_ptr<int>(new int, [&](int* value) {
            --alive;
            delete value;
        })};
    };
    compute_and_take<Counted>(workers, 300, {compute, [](const Counted&) {}, never});
    CHECK(most <= 6);
    CHECK(alive == 0);
}

TEST_CASE("an exception of either side ends the work and is thrown") {
    core::Workers workers(3);
    std::atomic<std::size_t> computed = 0;
    const auto fail_at_10 = [&](std::size_t item) {
        ++computed;
        if (item == 10) throw std::runtime_error("item 10");
        return item;
    };
    CHECK_THROWS_WITH(
        compute_and_take<std::size_t>(workers, 100000, {fail_at_10, [](std::size_t) {}, never}),
        "item 10");
    CHECK(computed < 100000);
    const auto refuse = [](std::size_t) { throw std::runtime_error("disk full"); };
    CHECK_THROWS_WITH(compute_and_take<std::size_t>(
                          workers, 100, {[](std::size_t item) { return item; }, refuse, never}),
                      "disk full");
}

TEST_CASE("a request to stop ends the work without an exception") {
    core::Workers workers(2);
    std::atomic<std::size_t> computed = 0;
    const auto count = [&](std::size_t) { return ++computed; };
    const auto after_20 = [&] { return computed >= 20; };
    compute_and_take<std::size_t>(workers, 100000, {count, [](std::size_t) {}, after_20});
    CHECK(computed <= 22);
}

}  // namespace
}  // namespace ventral::pipeline
