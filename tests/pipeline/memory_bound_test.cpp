#include "pipeline/memory_bound.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

core::ScoreRecord noted(const std::string& reason, double bound) {
    core::ScoreRecord record;
    record.failure = core::Failure{core::FailureClass::out_of_memory, reason};
    pipeline::note_memory_bound(record, bound);
    return record;
}

}  // namespace

TEST_CASE("a record without memory says how much there was and what would help") {
    const auto record = noted("cannot allocate\nframe #0: main", 1 << 30);
    CHECK(record.memory.at("bound") == 1 << 30);
    CHECK(record.failure->reason ==
          "out of memory (cannot allocate: a rank may take 1 GiB) raise --memory, or start fewer "
          "ranks or threads");
}

TEST_CASE("without a bound there is none to tell") {
    const auto record = noted("std::bad_alloc", 0);
    CHECK(record.memory.empty());
    CHECK(record.failure->reason ==
          "out of memory (std::bad_alloc) raise --memory, or start fewer ranks or threads");
}
