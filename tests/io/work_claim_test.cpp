#include "io/disk/work_claim.hpp"

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

TEST_CASE("many may be at shared work, which is seen from outside while one is") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("work.lock");
    const std::string key = "f123456789abcdef01";
    CHECK_FALSE(io::is_at_work(path, key));
    CHECK_FALSE(std::filesystem::exists(path));
    auto one = std::make_optional(io::share_work(path, key));
    auto other = std::make_optional(io::share_work(path, key));
    CHECK_FALSE(io::is_at_work(path, "e123456789abcdef01"));
    one.reset();
    CHECK(io::is_at_work(path, key));
    other.reset();
    CHECK_FALSE(io::is_at_work(path, key));
    const auto claim = io::claim_work(path, key);
    CHECK(io::is_at_work(path, key));
}

TEST_CASE("where nothing can be locked every claim succeeds") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("no/such/folder/work.lock");
    const auto one = io::claim_work(path, "01");
    CHECK(one.has_value());
    CHECK(io::claim_work(path, "01").has_value());
    CHECK_FALSE(std::filesystem::exists(path));
}
