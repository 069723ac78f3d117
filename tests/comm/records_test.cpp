#include "comm/records.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "support/ranks.hpp"

using namespace ventral::comm;

namespace {

struct Fold {
    std::string unit;
    int number = 0;
    std::vector<double> scores;

    template <typename Archive>
    void serialize(Archive& archive, unsigned int) {
        archive& unit& number& scores;
    }
};

}  // namespace

TEST_CASE("a record comes out as it went in, whatever bytes it has") {
    const Fold fold{std::string("x\0y\n", 4), -3, {0.1, -0.0, 1e300}};
    const auto copy = unpack<Fold>(pack(fold));
    CHECK(copy.unit == fold.unit);
    CHECK(copy.number == -3);
    CHECK(copy.scores == fold.scores);
}

TEST_CASE("a damaged record is an exception") {
    const auto packed = pack(Fold{"unit", 1, {1, 2, 3}});
    for (std::size_t i = 0; i < packed.size(); ++i) {
        auto damaged = packed;
        damaged[i] = static_cast<char>(damaged[i] ^ 4);
        CHECK_THROWS_AS(unpack<Fold>(damaged), std::runtime_error);
    }
    CHECK_THROWS_AS(unpack<Fold>(packed.substr(0, packed.size() - 1)), std::runtime_error);
    CHECK_THROWS_AS(unpack<Fold>(packed + "x"), std::runtime_error);
    CHECK_THROWS_AS(unpack<Fold>("abc"), std::runtime_error);
}

TEST_CASE("every rank gets the record of each") {
    ventral::test::on_ranks([](Communicator& comm) {
        const auto folds = gather_records(comm, Fold{"unit", comm.rank(), {0.5}});
        REQUIRE(folds.size() == static_cast<std::size_t>(comm.size()));
        for (int rank = 0; rank < comm.size(); ++rank)
            CHECK(folds[static_cast<std::size_t>(rank)].number == rank);
    });
}
