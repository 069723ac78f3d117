#include "models/runtime/device_thread.hpp"

#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using ventral::models::on_thread_of;

TEST_CASE("work for the CPU runs where it is asked for") {
    std::thread::id where;
    on_thread_of("cpu", [&] { where = std::this_thread::get_id(); });
    CHECK(where == std::this_thread::get_id());
}

TEST_CASE("all work for a GPU runs on one thread, one after the other, whoever asks") {
    std::vector<std::thread::id> where;  // of one thread alone, or it would be torn
    std::vector<std::thread> askers;
    for (int i = 0; i < 8; ++i)
        askers.emplace_back([&] {
            for (int j = 0; j < 200; ++j)
                on_thread_of("cuda:1", [&] { where.push_back(std::this_thread::get_id()); });
        });
    for (auto& asker : askers) asker.join();
    REQUIRE(where.size() == 1600);
    CHECK(where == std::vector<std::thread::id>(1600, where[0]));
    CHECK(where[0] != std::this_thread::get_id());
}

TEST_CASE("what work for a GPU throws reaches who asked for it, and the next one is served") {
    CHECK_THROWS_WITH(on_thread_of("cuda:0", [] { throw std::runtime_error("no room"); }),
                      "no room");
    bool inner = false;
    on_thread_of("cuda:0", [&] { on_thread_of("cuda:0", [&] { inner = true; }); });
    CHECK(inner);
}
