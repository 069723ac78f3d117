#include <map>
#include <new>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "comm/communicator.hpp"
#include "comm/pieces.hpp"
#include "support/ranks.hpp"
#include "support/sanitized.hpp"

using namespace ventral::comm;
using ventral::test::on_ranks;

namespace {

Message receive(Communicator& comm, int tag) {
    while (true) {
        if (auto message = comm.try_receive(tag)) return *message;
    }
}

/// Asks, with no more than `bytes` of memory, until a message has come or there is no room for it.
bool fails_for_lack_of_memory(Communicator& comm, int tag, std::size_t bytes) {
    rlimit before{};
    getrlimit(RLIMIT_DATA, &before);
    const rlimit too_little{bytes, before.rlim_max};
    setrlimit(RLIMIT_DATA, &too_little);
    bool has_failed = false;
    try {
        while (!comm.try_receive(tag)) continue;
    } catch (const std::bad_alloc&) {
        has_failed = true;
    }
    setrlimit(RLIMIT_DATA, &before);
    return has_failed;
}

}  // namespace

TEST_CASE("a message reaches the rank it is for, oneself too") {
    on_ranks([](Communicator& comm) {
        for (int to = 0; to < comm.size(); ++to)
            comm.send(to, 5, "from " + std::to_string(comm.rank()) + " to " + std::to_string(to));
        std::map<int, std::string> received;
        for (int i = 0; i < comm.size(); ++i) {
            auto message = receive(comm, 5);
            received[message.from] = message.bytes;
        }
        CHECK(received.size() == static_cast<std::size_t>(comm.size()));
        for (const auto& [from, bytes] : received) {
            CHECK(bytes == "from " + std::to_string(from) + " to " + std::to_string(comm.rank()));
        }
    });
}

TEST_CASE("messages of one sender and tag arrive in order, whatever their lengths") {
    on_ranks([](Communicator& comm) {
        const int to = (comm.rank() + 1) % comm.size();
        // Long ones travel another way than short ones, which could overtake them.
        const std::vector<std::size_t> lengths{0, 3'000'000, 1, 500'000, 0, 7};
        for (const auto length : lengths) comm.send(to, 1, std::string(length, 'x'));
        for (const auto length : lengths) CHECK(receive(comm, 1).bytes.size() == length);
        CHECK_FALSE(comm.try_receive(1));
    });
}

TEST_CASE("a message waits for a question with its tag") {
    on_ranks([](Communicator& comm) {
        comm.send(0, 1, "one");
        comm.send(0, 2, "two");
        comm.barrier();
        if (comm.rank() > 0) return;
        for (int i = 0; i < comm.size(); ++i) CHECK(receive(comm, 2).bytes == "two");
        for (int i = 0; i < comm.size(); ++i) CHECK(receive(comm, 1).bytes == "one");
        CHECK_FALSE(comm.try_receive(2));
    });
}

TEST_CASE("groups do not receive each other's messages") {
    on_ranks([](Communicator& comm) {
        const auto part = comm.split(0);
        comm.send(0, 1, "world");
        comm.barrier();
        if (comm.rank() > 0) return;
        CHECK_FALSE(part->try_receive(1));
        for (int i = 0; i < comm.size(); ++i) receive(comm, 1);
    });
}

TEST_CASE("sending does not wait for the receiver") {
    on_ranks([](Communicator& comm) {
        const std::string bytes(5'000'000, 'y');
        for (int to = 0; to < comm.size(); ++to) comm.send(to, 3, bytes);
        comm.barrier();  // nobody has asked for a message yet
        for (int i = 0; i < comm.size(); ++i) CHECK(receive(comm, 3).bytes == bytes);
    });
}

TEST_CASE("a message that there is no memory for stays outside until there is") {
    if (!under_mpiexec()) return;  // threads share one memory
    if (ventral::test::has_address_sanitizer) return;
    on_ranks([](Communicator& comm) {
        constexpr std::size_t length = std::size_t{256} << 20;
        const int last = comm.size() - 1;
        if (comm.rank() == last) comm.send(0, 4, std::string(length, 'm'));
        if (comm.rank() == 0 && last > 0) CHECK(fails_for_lack_of_memory(comm, 4, length / 4));
        if (comm.rank() == 0) CHECK(receive(comm, 4).bytes == std::string(length, 'm'));
        comm.barrier();
    });
}

// Takes 2 GB and seconds: only when asked for by its tag.
TEST_CASE("messages longer than a piece stay whole", "[.large]") {
    on_ranks([](Communicator& comm) {
        const auto length = piece_bytes + 12345;
        const auto letter = [](int rank) { return static_cast<char>('a' + rank); };
        const std::string own(length, letter(comm.rank()));
        const auto is_whole = [&](const std::string& bytes, int rank) {
            return bytes.size() == length &&
                   bytes.find_first_not_of(letter(rank)) == std::string::npos;
        };
        const int to = (comm.rank() + 1) % comm.size();
        comm.send(to, 1, own);
        const auto message = receive(comm, 1);
        CHECK(is_whole(message.bytes, message.from));
        const int last = comm.size() - 1;
        CHECK(is_whole(comm.broadcast(comm.rank() == last ? own : "", last), last));
        const auto all = comm.all_gather(own);
        for (int rank = 0; rank < comm.size(); ++rank)
            CHECK(is_whole(all[static_cast<std::size_t>(rank)], rank));

        std::vector<std::uint64_t> words(length / sizeof(std::uint64_t));
        for (auto i = static_cast<std::size_t>(comm.rank()); i < words.size();
             i += static_cast<std::size_t>(comm.size()))
            words[i] = i + 1;
        comm.bit_or(words);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < words.size(); ++i) wrong += words[i] != i + 1;
        CHECK(wrong == 0);
    });
}
