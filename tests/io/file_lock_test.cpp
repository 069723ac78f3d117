#include "io/disk/file_lock.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;
using io::LockAnswer;
using io::LockKind;
using io::try_lock;

TEST_CASE("many share a lock, one has it alone, until the descriptor is closed") {
    const test::TemporaryFolder folder;
    const auto opened = [&] { return io::Descriptor(folder.file("a.lock"), O_RDWR | O_CREAT); };
    const auto one = opened();
    auto other = opened();
    CHECK(try_lock(one, LockKind::shared) == LockAnswer::held);
    CHECK(io::wait_for_lock(other, LockKind::shared) == LockAnswer::held);
    CHECK(try_lock(opened(), LockKind::exclusive) == LockAnswer::taken_by_another);
    CHECK(try_lock(one, LockKind::exclusive) == LockAnswer::taken_by_another);
    other.reset();
    CHECK(try_lock(one, LockKind::exclusive) == LockAnswer::held);
    CHECK(try_lock(opened(), LockKind::shared) == LockAnswer::taken_by_another);
}

TEST_CASE("where there is no file there is no lock") {
    CHECK(try_lock(io::Descriptor(), LockKind::exclusive) == LockAnswer::no_locks);
}
