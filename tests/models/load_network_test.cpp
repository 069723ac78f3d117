#include "models/network/load_network.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "models/builtin/hmax.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "support/builtin_network.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using namespace ventral::models;
using ventral::test::builtin_record;
using ventral::test::uniform_image;

TEST_CASE("built-in networks have different names and hashes") {
    std::set<std::string> names, hashes;
    for (const auto builtin : builtins()) {
        names.insert(name_of(builtin));
        hashes.insert(content_hash(builtin));
    }
    CHECK(names == std::set<std::string>{"gabor_v1", "hmax", "pixels"});
    CHECK(hashes.size() == 3);
}

TEST_CASE("a record without a built-in network is a file") {
    ModelRecord record;
    record.weights_file = "nowhere/weights.ts";
    CHECK_THROWS_WITH(load_network(record), StartsWith("nowhere/weights.ts: "));
}

TEST_CASE("a built-in network that does not fit its screen is refused with the record's name") {
    auto gabor = builtin_record(Builtin::gabor_v1, 7);
    CHECK_THROWS_WITH(load_network(gabor),
                      StartsWith("gabor_v1.toml: ") && Contains("no spatial frequency"));
    gabor.preprocessing->resize.reset();
    CHECK_THROWS_WITH(load_network(gabor), Contains("it needs 'resize'"));
    gabor.preprocessing->resize_exact = {{.height = 24, .width = 32}};
    CHECK(load_network(gabor).layers().size() == 3);

    CHECK_THROWS_WITH(load_network(builtin_record(Builtin::hmax, hmax_least_pixels - 1)),
                      StartsWith("hmax.toml: ") && Contains("images of 187 pixels"));
    const auto least = load_network(builtin_record(Builtin::hmax, hmax_least_pixels));
    const auto c2 = respond(least, "c2", uniform_image(hmax_least_pixels, 0.5));
    CHECK(c2.values.size() == 1000);
}

TEST_CASE("a built-in network takes the memory layout and device of its record") {
    auto record = builtin_record(Builtin::gabor_v1, 64);
    record.memory_layout = MemoryLayout::contiguous;
    record.device = "cpu";
    CHECK(load_network(record).memory_layout() == MemoryLayout::contiguous);
    CHECK(load_network(record, 3).device() == "cpu");
    record.device = "cuda";
    if (visible_gpus().count == 0)
        CHECK_THROWS_WITH(load_network(record), StartsWith("gabor_v1.toml: device"));
}
