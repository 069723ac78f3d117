#include "models/network/pickle_check.hpp"

#include <catch2/catch.hpp>

using ventral::models::pickle_fault;
using namespace std::string_literals;

namespace {

const std::map<std::string, std::uint64_t> storages = {{"0", 12}};

bool passes(const std::string& pickle) { return !pickle_fault(pickle, storages); }

/// ("storage", torch.FloatStorage, "0", "cpu", `elements`), made a tensor; as torch writes it.
std::string storage(const std::string& elements) {
    return "\x80\x02(X\x07\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"s + "0X\3\0\0\0cpu"s +
           elements + "tQ."s;
}

}  // namespace

TEST_CASE("what Python and torch write passes") {
    // pickle.dumps([None, True, (1, 70000, -3), {"a": 1.5, "b": []}], 2)
    CHECK(
        passes("\x80\2]q\0(N\x88K\1Jp\x11\1\0J\xfd\xff\xff\xff\x87q\1}q\2(X\1\0\0\0aq\3G?\xf8\0\0"
               "\0\0\0\0X\1\0\0\0bq\4]q\5ue."s));
    CHECK(passes("\x80\2c__torch__\nNet\nq\0)\x81}(X\1\0\0\0wK\1ubq\1h\1\x86."s));
    CHECK(passes(storage("K\3")));
    CHECK(passes(storage("\x8a\1\3")));
}

TEST_CASE("an instruction that takes what is not there is a fault") {
    for (const auto& pickle :
         {"\x80\2R."s, "\x80\2K\1R."s, "\x80\2t."s, "\x80\2\x85."s, "\x80\2q\0."s, "\x80\2h\7."s,
          "\x80\2s."s, "\x80\2(K\1u."s, "\x80\2(u."s, "\x80\2Q."s, "\x80\2K\1(R."s,
          "\x80\2}(K\1K\2K\3u."s, "\x80\2K\1K\2((RRt."s})
        CHECK_FALSE(passes(pickle));
}

TEST_CASE("a storage may not claim more than its bytes") {
    CHECK(pickle_fault(storage("K\4"), storages) ==
          "a storage of tensors is larger than its bytes");
    CHECK_FALSE(passes(storage("J\xff\xff\xff\xff"s)));
    CHECK_FALSE(passes(storage("\x8a\x08\0\0\0\0\0\0\0\x40"s)));
    CHECK_FALSE(passes(storage("N")));
    CHECK(pickle_fault(storage("K\4"), {}) == std::nullopt);  // libtorch misses the storage itself
}

TEST_CASE("a pickle that breaks off, or has unknown instructions, is left to libtorch") {
    const auto whole = storage("K\3");
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(passes(whole.substr(0, size)));
    CHECK(passes("\x80\2\xfe."s));
    CHECK(passes("\x80\2X\xff\xff\xff\xff."s));
}
