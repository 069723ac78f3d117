#include "pipeline/outlook/disk_needs.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::DiskRoom;
using pipeline::Keep;
using pipeline::KeptFiles;

namespace {

constexpr double mebibyte = 1 << 20;

/// MiB of the activations and Gram of `layer`, and 2 MiB of results.
pipeline::UnitWork unit(const std::string& layer, double activations, double gram) {
    pipeline::UnitWork work;
    work.activation_files = {{layer, activations * mebibyte}};
    work.gram_files = {{layer, gram * mebibyte}};
    work.result_bytes = 2 * mebibyte;
    return work;
}

const std::vector<pipeline::UnitWork> two_units{unit("conv", 100, 10), unit("relu", 50, 20)};

double activations(const KeptFiles& kept, double there = 0) {
    return pipeline::disk_needs(two_units, kept, {0, there * mebibyte}).activations / mebibyte;
}

KeptFiles within(double budget) {
    return {.activations_budget = static_cast<std::uint64_t>(budget * mebibyte)};
}

std::string why_full(const KeptFiles& kept, double free, double there = 0) {
    return pipeline::why_full(two_units, kept, {free * mebibyte, there * mebibyte});
}

}  // namespace

TEST_CASE("the disk holds the activations that are kept, and those of the unit in work") {
    CHECK(activations({}) == 150);
    CHECK(activations({.activations = Keep::discard}) == 100);
    CHECK(activations(within(1000)) == 150);
    CHECK(activations(within(20)) == 120);
    CHECK(activations(within(20), 15) == 105);
    CHECK(activations(within(20), 50) == 100);
    CHECK(activations({.compression = 1}) == 0);
}

TEST_CASE("what is there of earlier runs is told, unless it is elsewhere") {
    const test::TemporaryFolder out;
    const auto folder = out.path() / "activations";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "old.h5") << std::string(1000, 'x');
    const auto room = pipeline::disk_room(out.path().string());
    CHECK(room.activations == 1000);
    CHECK(room.free > 0);
    CHECK(std::isfinite(room.free));
    CHECK(pipeline::disk_room(out.file("later/run")).free > 0);
    std::filesystem::rename(folder, out.path() / "elsewhere");
    std::filesystem::create_directory_symlink(out.path() / "elsewhere", folder);
    CHECK(std::isinf(pipeline::disk_room(out.path().string()).free));
}

TEST_CASE("what two units want is on the disk once, and until both are done") {
    const auto conv = unit("conv", 100, 10);
    const auto relu = unit("relu", 50, 20);
    const auto needs = pipeline::disk_needs({conv, conv, relu}, {}, {});
    CHECK(needs.activations == 150 * mebibyte);
    CHECK(needs.grams == 30 * mebibyte);
    CHECK(needs.results == 6 * mebibyte);
    const auto discarding = [](const std::vector<pipeline::UnitWork>& units) {
        return pipeline::disk_needs(units, {.activations = Keep::discard}, {}).activations;
    };
    CHECK(discarding({conv, conv, relu}) == 100 * mebibyte);
    CHECK(discarding({conv, relu, conv}) == 150 * mebibyte);
}

TEST_CASE("projections are on the disk as they are, where activations are compressed") {
    auto work = unit("conv", 100, 10);
    work.projection_files = {{"conv by pca", 3 * mebibyte}};
    CHECK(pipeline::disk_needs({work}, {}, {}).activations == 103 * mebibyte);
    CHECK(pipeline::disk_needs({work}, {.compression = 1}, {}).activations == 3 * mebibyte);
}

TEST_CASE("Grams are on the disk unless they are discarded, results always") {
    CHECK(pipeline::disk_needs(two_units, {}, {}).grams == 30 * mebibyte);
    CHECK(pipeline::disk_needs(two_units, {.grams = Keep::discard}, {}).grams == 0);
    CHECK(pipeline::disk_needs(two_units, {.grams = Keep::discard}, {}).results == 4 * mebibyte);
}

TEST_CASE("a run that does not fit the disk is told which setting makes it fit") {
    CHECK(why_full({}, 184).empty());
    CHECK(why_full({}, 183) ==
          "the run needs 184 MiB of disk (activations 150 MiB, Grams 30 MiB, results 4 MiB; "
          "183 MiB are free) it fits with --activations discard or --activations-budget 49MiB");
    CHECK(why_full(within(49), 183).empty());
    CHECK(why_full({}, 183, 10).ends_with("--activations-budget 59MiB"));
    CHECK(why_full(within(59), 183, 10).empty());
    CHECK(why_full({}, 134).ends_with("it fits with --activations discard"));
    CHECK(why_full({.activations = Keep::discard}, 134).empty());
    CHECK(why_full({}, 133).ends_with("it fits with --activations discard --grams discard"));
    CHECK(why_full({.activations = Keep::discard}, 133).ends_with("it fits with --grams discard"));
    CHECK(why_full({}, 103).ends_with("take a larger disk, or try --activations-compress 1"));
}

TEST_CASE("activations that go when the run begins leave room") {
    const auto why = [](double discarded) {
        return pipeline::why_full(two_units, {.activations = Keep::discard},
                                  {100 * mebibyte, 0, discarded * mebibyte});
    };
    CHECK(why(34).empty());
    CHECK_THAT(why(33), Catch::Contains("; 33 MiB are those of finished units; 100 MiB are free)"));
}

TEST_CASE("a unit is too large for a disk that cannot hold it alone") {
    const auto why = [](double free, const KeptFiles& kept) {
        return pipeline::why_too_large(two_units[0], kept, {free * mebibyte});
    };
    CHECK(why(112, {}).empty());
    CHECK(why(111, {}) ==
          "needs 112 MiB of disk (activations 100 MiB, Grams 10 MiB, results 2 MiB; 111 MiB are "
          "free) it fits with --grams discard");
    CHECK(why(111, {.grams = Keep::discard}).empty());
    CHECK(why(11, {.compression = 1}).ends_with(") it fits with --grams discard"));
    CHECK(why(1, {.compression = 1}).ends_with(") take a larger disk"));
    CHECK(why(101, {.grams = Keep::discard})
              .ends_with(") take a larger disk, or try --activations-compress 1"));
}
