#include "pipeline/plan/audit_sample.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using pipeline::AtLeast;
using pipeline::audit_sample;

namespace {

std::vector<std::string> numbered_keys(std::size_t count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back("key " + std::to_string(i));
    return keys;
}

}  // namespace

TEST_CASE("a share is a percentage or a number above 0 and at most 1") {
    CHECK(pipeline::parse_share("0.5%") == 0.005);
    CHECK(pipeline::parse_share("100%") == 1);
    CHECK(pipeline::parse_share("0.25") == 0.25);
    for (const auto* bad : {"", "%", "0", "-1%", "101%", "2", "some", "nan"})
        CHECK_THROWS_AS(pipeline::parse_share(bad), core::InputError);
}

TEST_CASE("about the share of the keys is chosen, others on another occasion") {
    const auto keys = numbered_keys(10000);
    const auto monday = audit_sample(keys, 0.05, "monday", AtLeast::none);
    // 500 expected, with a standard deviation of 22.
    CHECK(monday.size() > 400);
    CHECK(monday.size() < 600);
    CHECK(audit_sample(keys, 0.05, "monday", AtLeast::none) == monday);
    CHECK(audit_sample(keys, 0.05, "tuesday", AtLeast::none) != monday);
    CHECK(audit_sample(keys, 1, "monday", AtLeast::none).size() == keys.size());
}

TEST_CASE("shards choose what the whole would") {
    const auto keys = numbered_keys(1000);
    const auto half = keys.begin() + 300;
    auto parts = audit_sample({keys.begin(), half}, 0.1, "day", AtLeast::none);
    parts.merge(audit_sample({half, keys.end()}, 0.1, "day", AtLeast::none));
    CHECK(parts == audit_sample(keys, 0.1, "day", AtLeast::none));
}

TEST_CASE("at least one is the key that a larger share would choose first") {
    const auto keys = numbered_keys(20);
    CHECK(audit_sample(keys, 1e-9, "day", AtLeast::none).empty());
    const auto one = audit_sample(keys, 1e-9, "day", AtLeast::one);
    REQUIRE(one.size() == 1);
    for (double share = 0.001;; share *= 1.1) {
        const auto sample = audit_sample(keys, share, "day", AtLeast::none);
        if (sample.empty()) continue;
        CHECK(sample.count(*one.begin()) == 1);
        break;
    }
    CHECK(audit_sample({}, 0.5, "day", AtLeast::one).empty());
}
