#include "pipeline/watch/memory_bound.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

constexpr double gibibyte = 1 << 30;

core::ScoreRecord noted(const std::string& reason, const pipeline::MemoryShare& share) {
    core::ScoreRecord record;
    record.failure = core::Failure{core::FailureClass::out_of_memory, reason};
    pipeline::note_memory_bound(record, share);
    return record;
}

}  // namespace

TEST_CASE("a record without memory says how much there was and what would help") {
    const auto record = noted("cannot allocate\nframe #0: main", {{gibibyte, "--memory"}, 4, 8});
    CHECK(record.memory.at("bound") == gibibyte);
    CHECK(record.failure->reason ==
          "out of memory (cannot allocate: a rank may take 1 GiB, the limit is --memory) raise "
          "--memory, or start fewer ranks (there were 4 on the node) or fewer threads (8 a rank)");
    CHECK_THAT(noted("", {{gibibyte}, 1, 2}).failure->reason,
               Catch::EndsWith("raise --memory, or start fewer threads (2 a rank)"));
}

TEST_CASE("a limit that --memory has not set is named, with what gives more") {
    const auto record =
        noted("bad alloc", {{gibibyte, "/sys/fs/cgroup/job/memory.max", "ask for more"}});
    CHECK(record.failure->reason ==
          "out of memory (bad alloc: a rank may take 1 GiB, the limit is "
          "/sys/fs/cgroup/job/memory.max) ask for more");
}

TEST_CASE("fewer ranks are no cure for a limit of each process") {
    const pipeline::MemoryBound bound{gibibyte, "ulimit -d", "raise ulimit -d", false};
    CHECK(noted("bad alloc", {bound, 4, 2, 3 * gibibyte}).failure->reason ==
          "out of memory (bad alloc: a rank may take 1 GiB, the limit is ulimit -d) raise ulimit "
          "-d, or start fewer threads (2 a rank); the plan expects 3 GiB for a rank");
}

TEST_CASE("without a bound there is none to tell") {
    const auto record = noted("std::bad_alloc", {});
    CHECK(record.memory.empty());
    CHECK(record.failure->reason == "out of memory (std::bad_alloc) raise --memory");
}

TEST_CASE("what the plan expects says how much would do") {
    // 4 ranks of 1 GiB: one of 3 GiB fits, four need 12.
    CHECK_THAT(
        noted("", {{gibibyte}, 4, 1, 3 * gibibyte}).failure->reason,
        Catch::EndsWith("; the plan expects 3 GiB for a rank: 12 GiB on the node would do, or "
                        "1 rank with what there was"));
    CHECK_THAT(noted("", {{gibibyte}, 1, 1, 3 * gibibyte}).failure->reason,
               Catch::EndsWith("for a rank: 3 GiB on the node would do"));
    CHECK_THAT(noted("", {{gibibyte}, 4, 1, gibibyte / 2}).failure->reason,
               Catch::EndsWith("on the node)"));
}
