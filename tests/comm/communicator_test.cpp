#include "comm/communicator.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "support/ranks.hpp"

using namespace ventral::comm;
using ventral::test::on_ranks;

// Expected values are written as functions of rank and size: one text is right for any number of
// ranks, so ctest runs this file as it is, and again under mpiexec on 2 and on 3 ranks.

TEST_CASE("sum adds every rank's counts in place") {
    on_ranks([](Communicator& comm) {
        std::array<std::int64_t, 2> counts{1, comm.rank()};
        comm.sum(counts);
        const std::int64_t n = comm.size();
        CHECK(counts[0] == n);
        CHECK(counts[1] == n * (n - 1) / 2);
        comm.sum({});
    });
}

TEST_CASE("bit_or gives every rank the exact bits that one rank has set") {
    on_ranks([](Communicator& comm) {
        const auto negative_zero = std::bit_cast<std::uint64_t>(-0.0);
        const std::uint64_t odd_nan = 0x7FF8DEADBEEF0001;
        std::array<std::uint64_t, 3> words{0, 0, std::uint64_t{1} << comm.rank()};
        if (comm.rank() == 0) words[0] = negative_zero;
        if (comm.rank() == comm.size() - 1) words[1] = odd_nan;
        comm.bit_or(words);
        CHECK(words[0] == negative_zero);
        CHECK(words[1] == odd_nan);
        CHECK(words[2] == (std::uint64_t{1} << comm.size()) - 1);
    });
}

TEST_CASE("all_gather keeps rank order, and messages of different lengths") {
    on_ranks([](Communicator& comm) {
        const auto word = [](int rank) { return std::string(static_cast<std::size_t>(rank), 'x'); };
        const auto messages = comm.all_gather(word(comm.rank()));
        REQUIRE(messages.size() == static_cast<std::size_t>(comm.size()));
        for (int rank = 0; rank < comm.size(); ++rank)
            CHECK(messages[static_cast<std::size_t>(rank)] == word(rank));
    });
}

TEST_CASE("broadcast gives every rank the root's message") {
    on_ranks([](Communicator& comm) {
        const int last = comm.size() - 1;
        const std::string zeros("a\0b", 3);
        CHECK(comm.broadcast(comm.rank() == last ? zeros : "not this", last) == zeros);
        CHECK(comm.broadcast("", 0).empty());
    });
}

TEST_CASE("groups of one color have their members in rank order") {
    on_ranks([](Communicator& comm) {
        const auto part = comm.split(comm.rank() % 2);
        CHECK(part->size() == (comm.size() + 1 - comm.rank() % 2) / 2);
        CHECK(part->rank() == comm.rank() / 2);
        std::array<std::int64_t, 1> ranks{comm.rank()};
        part->sum(ranks);
        std::int64_t expected = 0;
        for (int rank = comm.rank() % 2; rank < comm.size(); rank += 2) expected += rank;
        CHECK(ranks[0] == expected);
    });
}

TEST_CASE("ranks of one machine are one node") {
    on_ranks([](Communicator& comm) {
        const auto node = comm.split_by_node();
        CHECK(node->size() == comm.size());
        CHECK(node->rank() == comm.rank());
    });
}

TEST_CASE("groups may come and go many times") {
    on_ranks([](Communicator& comm) {
        for (int i = 0; i < 50; ++i) {
            const auto part = comm.split(0);
            part->barrier();
        }
        CHECK(comm.all_gather("x").size() == static_cast<std::size_t>(comm.size()));
    });
}
