#include "pipeline/schedule/batch_dealer.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "pipeline/watch/watched_communicator.hpp"
#include "support/ranks.hpp"

using namespace ventral;
using pipeline::BatchDealer;

namespace {

/// What every rank has been dealt, in order.
std::vector<std::size_t> of_all_ranks(const std::vector<std::size_t>& own,
                                      comm::Communicator& world) {
    std::vector<std::size_t> all;
    for (const auto& batches : comm::gather_records(world, own))
        all.insert(all.end(), batches.begin(), batches.end());
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::size_t> up_to(std::size_t count) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

/// A rank on each node.
class Apart : public pipeline::WatchedCommunicator {
public:
    using WatchedCommunicator::WatchedCommunicator;
    std::unique_ptr<comm::Communicator> split_by_node() override { return split(rank()); }
    std::unique_ptr<comm::SharedMemory> share(std::size_t) override {
        throw std::logic_error("they share nothing");
    }
};

}  // namespace

TEST_CASE("each batch is dealt once, the first ones to each rank by its workers") {
    test::on_ranks([](comm::Communicator& world) {
        const auto rank = static_cast<std::size_t>(world.rank());
        for (const std::size_t batches : {1, 2, 3, 50}) {
            BatchDealer dealer(batches, rank + 1, world);
            if (rank == 0) CHECK(dealer.first() == std::vector<std::size_t>{0});
            if (rank == 1 && batches == 50) CHECK(dealer.first() == std::vector<std::size_t>{1, 2});
            auto own = dealer.first();
            CHECK_FALSE(dealer.next());
            CHECK(dealer.begin_round());
            while (const auto batch = dealer.next()) own.push_back(*batch);
            CHECK_FALSE(dealer.begin_round());
            CHECK(of_all_ranks(own, world) == up_to(batches));
            for (std::size_t done = 0; done < own.size(); ++done) dealer.count_done();
            world.barrier();
            CHECK(dealer.done() == batches);
        }
    });
}

TEST_CASE("where one rank says so, none is dealt any more") {
    test::on_ranks([](comm::Communicator& world) {
        BatchDealer dealer(1000, 1, world);
        dealer.begin_round();
        CHECK(dealer.next() >= static_cast<std::size_t>(world.size()));
        world.barrier();
        if (world.rank() == world.size() - 1) dealer.end();
        world.barrier();
        CHECK_FALSE(dealer.next());
    });
}

TEST_CASE("ranks on several nodes get as many batches each, in rounds") {
    test::on_ranks([](comm::Communicator& world) {
        if (world.size() == 1) return;
        pipeline::StageClock clock;
        Apart apart(world, clock);
        const auto ranks = static_cast<std::size_t>(world.size());
        for (const std::size_t batches : {std::size_t{1}, ranks + 1, 10 * ranks}) {
            BatchDealer dealer(batches, 1, apart);
            auto own = dealer.first();
            std::size_t rounds = 0;
            for (; dealer.begin_round(); ++rounds) {
                const auto before = own.size();
                while (const auto batch = dealer.next()) own.push_back(*batch);
                CHECK(own.size() - before <= 4);
            }
            CHECK(rounds == (batches == 10 * ranks ? 3 : batches == 1 ? 0 : 1));
            CHECK(of_all_ranks(own, world) == up_to(batches));
        }
        BatchDealer dealer(1000, 1, apart);
        dealer.begin_round();
        dealer.end();
        CHECK_FALSE(dealer.next());
    });
}
