#include "io/work_claim.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("work that is claimed is nobody else's until the claim ends") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("work.lock");
    auto claim = io::claim_work(path, "0123456789abcdef01");
    REQUIRE(claim.has_value());
    CHECK_FALSE(io::claim_work(path, "0123456789abcdef01").has_value());
    CHECK(io::claim_work(path, "1123456789abcdef01").has_value());
    // Of a long key the first digits count.
    CHECK_FALSE(io::claim_work(path, "0123456789abcde777").has_value());
    auto moved = std::move(*claim);
    claim.reset();
    CHECK_FALSE(io::claim_work(path, "0123456789abcdef01").has_value());
    moved = io::WorkClaim();
    CHECK(io::claim_work(path, "0123456789abcdef01").has_value());
}

TEST_CASE("any claim of the file is seen from outside while it lasts") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("work.lock");
    CHECK_FALSE(io::is_any_work_claimed(path));
    CHECK_FALSE(std::filesystem::exists(path));
    auto claim = io::claim_work(path, "f123456789abcdef01");
    CHECK(io::is_any_work_claimed(path));
    claim.reset();
    CHECK_FALSE(io::is_any_work_claimed(path));
}

TEST_CASE("where nothing can be locked every claim succeeds") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("no/such/folder/work.lock");
    const auto one = io::claim_work(path, "01");
    CHECK(one.has_value());
    CHECK(io::claim_work(path, "01").has_value());
    CHECK_FALSE(std::filesystem::exists(path));
}
