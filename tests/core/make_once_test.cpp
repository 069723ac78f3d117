#include "core/make_once.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using ventral::core::MakeOnce;
using ventral::core::Workers;

TEST_CASE("a value is made by the first who asks and is the same for all") {
    MakeOnce<std::vector<int>> value;
    std::atomic<int> made = 0;
    const auto make = [&] {
        ++made;
        return std::vector<int>{1, 2, 3};
    };
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { right += value.get(make, nullptr).size() == 3; });
    for (auto& thread : threads) thread.join();
    CHECK(right == 4);
    CHECK(&value.get(make, nullptr) == &value.get(make, nullptr));
    CHECK(made == 1);
}

TEST_CASE("tasks may ask for a value that their own workers make") {
    for (const std::size_t threads : {1U, 2U, 5U}) {
        Workers workers(threads);
        MakeOnce<int> value;
        std::atomic<int> parts = 0;
        std::atomic<int> right = 0;
        const auto make = [&] {
            workers.parallel_for(7, [&](std::size_t) { ++parts; });
            return parts.load();
        };
        workers.parallel_for(6, [&](std::size_t) { right += value.get(make, &workers) == 7; });
        CHECK(parts == 7);
        CHECK(right == 6);
    }
}

TEST_CASE("what could not be made is made anew by the next who asks") {
    MakeOnce<int> value;
    int tries = 0;
    const auto make = [&] {
        if (++tries == 1) throw std::runtime_error("not yet");
        return tries;
    };
    CHECK_THROWS_AS(value.get(make, nullptr), std::runtime_error);
    CHECK(value.get(make, nullptr) == 2);
    CHECK(value.get(make, nullptr) == 2);
}
