#include "pipeline/inputs/shared_recordings.hpp"

#include <cstring>
#include <filesystem>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "pipeline/inputs/prepared_archives.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::PreparedBenchmark;
using pipeline::RecordingsReader;

namespace {

bool has_bits_of(const stats::Matrix& matrix, const stats::Matrix& other) {
    if (matrix.rows() != other.rows() || matrix.cols() != other.cols()) return false;
    return matrix.size() == 0 ||
           std::memcmp(matrix.data(), other.data(),
                       sizeof(double) * static_cast<std::size_t>(matrix.size())) == 0;
}

bool has_bits_of(const PreparedBenchmark& prepared, const PreparedBenchmark& other) {
    return comm::pack(prepared) == comm::pack(other) &&
           has_bits_of(prepared.plan.targets, other.plan.targets) &&
           has_bits_of(prepared.plan.averages, other.plan.averages);
}

/// The small run, whose files the first rank writes. Collective.
config::RunRecord shared_run(comm::Communicator& world, const std::string& folder) {
    if (world.rank() == 0) test::write_small_data(folder);
    world.barrier();
    return test::small_run(folder);
}

}  // namespace

TEST_CASE("the first rank alone reads recordings, and all have the same") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto run = shared_run(world, folder);
        RecordingsReader alone(run);
        RecordingsReader together(run);
        int reads = 0;
        together.check_files([&](const std::string&) { ++reads; });
        for (std::size_t benchmark = 0; benchmark < run.benchmarks.size(); ++benchmark) {
            pipeline::prepare_together(together, benchmark, world);
            REQUIRE(together.is_prepared(benchmark));
            CHECK(has_bits_of(together.prepared(benchmark), alone.prepared(benchmark)));
        }
        CHECK((reads > 0) == (world.rank() == 0));
    });
}

TEST_CASE("targets that take several messages arrive whole") {
    test::on_ranks([](comm::Communicator& world) {
        const config::RunRecord run;
        PreparedBenchmark large;
        large.plan.targets = stats::Matrix(1700, 1500);  // 20 MB
        for (Eigen::Index i = 0; i < large.plan.targets.size(); ++i)
            large.plan.targets.data()[i] = static_cast<double>(i) / 7;
        large.plan.averages = stats::Matrix::Constant(3, 5, 0.1);
        RecordingsReader recordings(run);
        if (world.rank() == 0) recordings.keep(0, large);
        pipeline::prepare_together(recordings, 0, world);
        CHECK(has_bits_of(recordings.prepared(0), large));
    });
}

TEST_CASE("a rank that has forgotten recordings is told again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto run = shared_run(world, folder);
        RecordingsReader recordings(run);
        pipeline::prepare_together(recordings, 0, world);
        const auto expected = recordings.prepared(0);
        const bool forgets = world.rank() == world.size() - 1;
        if (forgets) recordings.turn_to({}, 0);
        REQUIRE(recordings.is_prepared(0) == !forgets);
        const auto* kept = forgets ? nullptr : &recordings.prepared(0);
        pipeline::prepare_together(recordings, 0, world);
        CHECK(has_bits_of(recordings.prepared(0), expected));
        if (kept) CHECK(&recordings.prepared(0) == kept);
    });
}

TEST_CASE("what is wrong with recordings is known to all ranks, until the next unit") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto run = shared_run(world, folder);
        RecordingsReader recordings(run);
        const auto file = folder + "/recordings.nc";
        const auto rename = [&](const std::string& from, const std::string& to) {
            world.barrier();
            if (world.rank() == 0) std::filesystem::rename(from, to);
            world.barrier();
        };
        rename(file, file + ".away");
        CHECK_THROWS_WITH(pipeline::prepare_together(recordings, 0, world),
                          Catch::Contains("recordings.nc"));
        rename(file + ".away", file);
        CHECK_THROWS_WITH(pipeline::prepare_together(recordings, 0, world),
                          Catch::Contains("recordings.nc"));
        CHECK_FALSE(recordings.is_prepared(0));
        recordings.turn_to({0});
        pipeline::prepare_together(recordings, 0, world);
        CHECK(recordings.is_prepared(0));
    });
}
