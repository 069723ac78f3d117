#include "pipeline/schedule/hand_over.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace ventral;
using namespace ventral::pipeline;

namespace {

/// 0 … count-1.
std::function<std::optional<std::size_t>()> up_to(std::size_t count) {
    return [count, item = std::size_t{0}]() mutable {
        return item == count ? std::nullopt : std::optional(item++);
    };
}

TEST_CASE("every item is computed once and taken on the calling thread") {
    for (const std::size_t threads : {1, 2, 5}) {
        core::Workers workers(threads);
        for (const std::size_t count : {0, 1, 3, 200}) {
            const auto caller = std::this_thread::get_id();
            std::vector<std::size_t> taken;
            compute_and_take<std::size_t>(workers, {[](std::size_t item) { return item; },
                                                    [&](std::size_t item) {
                                                        CHECK(std::this_thread::get_id() == caller);
                                                        taken.push_back(item);
                                                    },
                                                    up_to(count)});
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
    compute_and_take<Counted>(workers, {compute, [](const Counted&) {}, up_to(300)});
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
        compute_and_take<std::size_t>(workers, {fail_at_10, [](std::size_t) {}, up_to(100000)}),
        "item 10");
    CHECK(computed < 100000);
    const auto refuse = [](std::size_t) { throw std::runtime_error("disk full"); };
    CHECK_THROWS_WITH(compute_and_take<std::size_t>(
                          workers, {[](std::size_t item) { return item; }, refuse, up_to(100)}),
                      "disk full");
    const auto lost = []() -> std::optional<std::size_t> { throw std::runtime_error("lost"); };
    CHECK_THROWS_WITH(compute_and_take<std::size_t>(workers, {[](std::size_t item) { return item; },
                                                              [](std::size_t) {}, lost}),
                      "lost");
}

TEST_CASE("nothing more begins once there was nothing to begin with") {
    core::Workers workers(2);
    std::atomic<std::size_t> computed = 0;
    std::size_t taken = 0;
    bool has_ended = false;
    compute_and_take<std::size_t>(
        workers, {[&](std::size_t) { return ++computed; }, [&](std::size_t) { ++taken; },
                  [&]() -> std::optional<std::size_t> {
                      CHECK_FALSE(has_ended);
                      has_ended = computed >= 20;
                      if (has_ended) return std::nullopt;
                      return 0;
                  }});
    CHECK(computed >= 20);
    CHECK(computed <= 22);
    CHECK(taken == computed);
}

}  // namespace
