#include "pipeline/simulation/shared_disk.hpp"

#include <catch2/catch.hpp>

using ventral::pipeline::SharedDisk;

TEST_CASE("a node alone is as fast as it can be") {
    SharedDisk disk(100, 40);
    disk.begin(3, 7, 80);
    CHECK(disk.next_end() == 5);
    CHECK(disk.end_next() == 7);
    CHECK_FALSE(disk.next_end());
}

TEST_CASE("nodes share what the disk can do") {
    SharedDisk disk(10, 10);
    disk.begin(0, 0, 100);
    disk.begin(4, 1, 20);         // node 0 has 60 left, and each gets 5 a second from here on
    CHECK(disk.next_end() == 8);  // 20 / 5
    CHECK(disk.end_next() == 1);
    CHECK(disk.next_end() == 12);  // 40 / 10
    CHECK(disk.end_next() == 0);
}

TEST_CASE("a transfer that is given up leaves the others faster") {
    SharedDisk disk(10, 10);
    disk.begin(0, 0, 100);
    disk.begin(0, 1, 100);
    disk.cancel(2, 1);  // node 0 has had 10
    disk.cancel(2, 5);  // has none
    CHECK(disk.next_end() == 11);
    CHECK(disk.end_next() == 0);
    CHECK_FALSE(disk.next_end());
}
