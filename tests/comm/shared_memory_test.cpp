#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "comm/communicator.hpp"
#include "comm/run_collectively.hpp"
#include "comm/spare_memory.hpp"
#include "core/private_memory.hpp"
#include "support/ranks.hpp"

using namespace ventral::comm;
using ventral::test::on_ranks;

namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// While it lives, this process may take so much for itself beyond what it has.
class Bound {
public:
    explicit Bound(std::size_t more) {
        getrlimit(RLIMIT_DATA, &before_);
        set_ = static_cast<rlim_t>(ventral::core::own_memory("VmData")) + more;
        const rlimit bound{set_, before_.rlim_max};
        setrlimit(RLIMIT_DATA, &bound);
    }
    ~Bound() { setrlimit(RLIMIT_DATA, &before_); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

    /// Of it, what counts as taken by shared memory.
    std::size_t taken() const {
        rlimit now{};
        getrlimit(RLIMIT_DATA, &now);
        return set_ - now.rlim_cur;
    }

private:
    rlimit before_{};
    rlim_t set_ = 0;
};

/// Not /dev/shm but the process's own bound.
bool lacks_memory(const std::function<void()>& share) {
    try {
        share();
    } catch (const CollectiveError& error) {
        return error.failure().failure_class == ventral::core::FailureClass::out_of_memory;
    }
    return false;
}

}  // namespace

TEST_CASE("shared memory begins as zeros, aligned, of the wanted size") {
    on_ranks([](Communicator& comm) {
        for (const std::size_t size : {std::size_t{1}, std::size_t{100'003}}) {
            const auto memory = comm.share(size);
            const auto bytes = memory->bytes();
            CHECK(bytes.size() == size);
            CHECK(memory->as<double>().size() == size / sizeof(double));
            CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % 4096 == 0);
            CHECK(std::all_of(bytes.begin(), bytes.end(),
                              [](std::byte byte) { return byte == std::byte{0}; }));
            comm.barrier();
        }
        CHECK(comm.share(0)->bytes().empty());
    });
}

TEST_CASE("what one rank stores all ranks see after a barrier") {
    on_ranks([](Communicator& comm) {
        const auto memory = comm.share(8000);
        const auto numbers = memory->as<std::int64_t>();
        const auto ranks = static_cast<std::size_t>(comm.size());
        for (std::int64_t round = 1; round <= 20; ++round) {
            for (auto i = static_cast<std::size_t>(comm.rank()); i < numbers.size(); i += ranks)
                numbers[i] = round * static_cast<std::int64_t>(i);
            comm.barrier();
            // round · (0 + … + 999)
            CHECK(std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}) ==
                  round * 499500);
            comm.barrier();
        }
    });
}

TEST_CASE("the memory of two groups is not the same") {
    on_ranks([](Communicator& comm) {
        const auto part = comm.split(comm.rank());
        const auto own = part->share(8);
        const auto common = comm.share(8);
        own->as<std::int64_t>()[0] = comm.rank() + 1;
        comm.barrier();
        CHECK(own->as<std::int64_t>()[0] == comm.rank() + 1);
        CHECK(common->as<std::int64_t>()[0] == 0);
        comm.barrier();
    });
}

TEST_CASE("more memory than there is, is an exception on all ranks") {
    on_ranks([](Communicator& comm) {
        if (!under_mpiexec() || comm.size() == 1)
            return;  // it asks the allocator, which is not ours
        const auto too_much = std::size_t{1} << 50;
        CHECK_THROWS_WITH(comm.share(too_much), Catch::Contains("no room for"));
        CHECK_NOTHROW(comm.barrier());
    });
}

TEST_CASE("of shared memory each rank's part counts in its bound, until the memory is gone") {
    on_ranks([](Communicator& comm) {
        if (!under_mpiexec() || comm.size() == 1) return;  // it has it for itself
        const auto ranks = static_cast<std::size_t>(comm.size());
        const Bound bound(40 * mebibyte);
        CHECK_THROWS_WITH(comm.share(60 * mebibyte * ranks),
                          Catch::Contains("shared by the ranks"));
        {
            const auto memory = comm.share(30 * mebibyte * ranks);
            CHECK(bound.taken() >= 30 * mebibyte);
            CHECK(bound.taken() < 31 * mebibyte);
        }
        CHECK(bound.taken() == 0);
    });
}

TEST_CASE("only some ranks have no room for shared memory: all throw") {
    on_ranks([](Communicator& comm) {
        if (!under_mpiexec() || comm.size() == 1) return;
        std::optional<Bound> bound;
        if (comm.rank() == comm.size() - 1) bound.emplace(mebibyte);
        CHECK(lacks_memory([&] { comm.share(24 * mebibyte); }));
        bound.reset();
        CHECK_NOTHROW(comm.share(mebibyte));
    });
}

TEST_CASE("memory that was given back is zero when it is shared again, and nobody uses it still") {
    on_ranks([](Communicator& comm) {
        for (std::size_t round = 0; round < 200; ++round) {
            const auto memory = comm.share(8 * (1000 - round % 3));  // at times a bit smaller
            const auto numbers = memory->as<std::int64_t>();
            CHECK(std::all_of(numbers.begin(), numbers.end(), [](auto each) { return each == 0; }));
            comm.barrier();
            if (comm.rank() == static_cast<int>(round) % comm.size())
                std::fill(numbers.begin(), numbers.end(), 7);
            comm.barrier();
            CHECK(std::all_of(numbers.begin(), numbers.end(), [](auto each) { return each == 7; }));
        }
    });
}

TEST_CASE("small memory that was given back is kept until it is wanted back") {
    on_ranks([](Communicator& comm) {
        if (!under_mpiexec() || comm.size() == 1) return;
        const auto ranks = static_cast<std::size_t>(comm.size());
        const auto share_four = [&] {
            const auto a = comm.share(20 * mebibyte);
            const auto b = comm.share(20 * mebibyte);
            const auto c = comm.share(20 * mebibyte);
            const auto d = comm.share(20 * mebibyte);
        };
        const auto larger = 45 * mebibyte * ranks;
        comm.share(60 * mebibyte + larger);  // so much may be held from now on
        const Bound bound(50 * mebibyte);
        share_four();
        CHECK(bound.taken() * ranks > 59 * mebibyte);
        CHECK(bound.taken() * ranks <= most_spare_bytes + ranks * 4096);
        // The bound has no room for both, and this is too large to be kept.
        CHECK_NOTHROW(comm.share(larger));
        CHECK(bound.taken() == 0);
        share_four();
        CHECK(bound.taken() > 0);
        comm.give_back_spare_memory();
        CHECK(bound.taken() == 0);
    });
}

TEST_CASE("no more is held than was in use at once") {
    on_ranks([](Communicator& comm) {
        if (!under_mpiexec() || comm.size() == 1) return;
        const auto ranks = static_cast<std::size_t>(comm.size());
        const Bound bound(50 * mebibyte);
        comm.share(10 * mebibyte);
        comm.share(16 * mebibyte);  // the first is too small for it, and beside it too much
        CHECK(bound.taken() * ranks > 15 * mebibyte);
        CHECK(bound.taken() * ranks < 17 * mebibyte);
        comm.give_back_spare_memory();
    });
}

TEST_CASE("a counter hands out each number once") {
    on_ranks([](Communicator& comm) {
        const auto counter = comm.make_counter();
        std::string taken;
        for (int i = 0; i < 100; ++i) taken += std::to_string(counter->next()) + " ";
        std::set<int> numbers;
        for (const auto& list : comm.all_gather(taken)) {
            std::size_t start = 0;
            for (auto end = list.find(' '); end != std::string::npos; end = list.find(' ', start)) {
                numbers.insert(std::stoi(list.substr(start, end - start)));
                start = end + 1;
            }
        }
        const int count = 100 * comm.size();
        CHECK(numbers.size() == static_cast<std::size_t>(count));
        CHECK(*numbers.begin() == 0);
        CHECK(*numbers.rbegin() == count - 1);
    });
}

TEST_CASE("counters count apart from each other") {
    on_ranks([](Communicator& comm) {
        const auto first = comm.make_counter();
        const auto second = comm.make_counter();
        if (comm.rank() == 0) first->next();
        comm.barrier();
        if (comm.rank() == comm.size() - 1) CHECK(second->next() == 0);
        comm.barrier();
    });
}
