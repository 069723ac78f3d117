#include "core/private_memory.hpp"

#include <new>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "support/sanitized.hpp"

using namespace ventral::core;

namespace {

constexpr std::size_t mebibyte = 1 << 20;

rlim_t bound() {
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    return limit.rlim_cur;
}

char take(std::size_t bytes) { return std::vector<char>(bytes, 1).back(); }

/// While it lives, the process may take `more` beyond what it has.
class Bound {
public:
    explicit Bound(std::size_t more) {
        getrlimit(RLIMIT_DATA, &before_);
        const rlimit limit{static_cast<rlim_t>(own_memory("VmData")) + more, before_.rlim_max};
        setrlimit(RLIMIT_DATA, &limit);
    }
    ~Bound() { setrlimit(RLIMIT_DATA, &before_); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("what the kernel says of the process is in bytes") {
    CHECK(own_memory("VmRSS") > static_cast<double>(mebibyte));
    CHECK(own_memory("VmHWM") >= own_memory("VmRSS"));
    CHECK(own_memory("no such line") == 0);
}

TEST_CASE("shared memory leaves so much less for the process itself, as long as it lives") {
    if (ventral::test::has_address_sanitizer) return;  // its `new` ends the process
    const Bound limited(256 * mebibyte);
    const auto before = bound();
    {
        const CountsAsPrivate share(200 * mebibyte);
        CHECK(bound() == before - 200 * mebibyte);
        CHECK_THROWS_AS(CountsAsPrivate(100 * mebibyte), std::bad_alloc);
        CHECK_THROWS_AS(take(100 * mebibyte), std::bad_alloc);
        CHECK(bound() == before - 200 * mebibyte);
    }
    CHECK(bound() == before);
    CHECK_NOTHROW(take(100 * mebibyte));
}

TEST_CASE("without a bound shared memory counts nowhere") {
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    if (limit.rlim_cur != RLIM_INFINITY) return;
    const CountsAsPrivate share(std::size_t{1} << 60);
    CHECK(bound() == RLIM_INFINITY);
}
