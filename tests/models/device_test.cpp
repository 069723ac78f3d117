#include "models/runtime/device.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::models;
using Catch::Matchers::Contains;

namespace {

const Gpus none{false, 0}, hidden{true, 0}, two{true, 2};

}  // namespace

TEST_CASE("auto is CUDA where there is a GPU, else the CPU") {
    CHECK(device_kind("auto", none, "net.toml") == "cpu");
    CHECK(device_kind("auto", hidden, "net.toml") == "cpu");
    CHECK(device_kind("auto", two, "net.toml") == "cuda");
    CHECK(device_kind("cpu", two, "net.toml") == "cpu");
    CHECK(device_kind("cuda", two, "net.toml") == "cuda");
}

TEST_CASE("CUDA that is not there is refused with the reason") {
    CHECK_THROWS_WITH(device_kind("cuda", none, "net.toml"),
                      "net.toml: device = \"cuda\" is not available (this libtorch is built "
                      "without CUDA) use \"auto\" or \"cpu\"");
    CHECK_THROWS_WITH(device_kind("cuda", hidden, "net.toml"), Contains("no CUDA device here"));
    CHECK_THROWS_AS(device_kind("tpu", two, "net.toml"), ventral::core::InputError);
    CHECK_THROWS_WITH(device_kind("tpu", two, "net.toml"), Contains("known: auto, cpu, cuda"));
}

TEST_CASE("the ranks of a node get its GPUs in turn") {
    CHECK(device_of_rank("cpu", two, 3) == "cpu");
    CHECK(device_of_rank("cuda", two, 0) == "cuda:0");
    CHECK(device_of_rank("cuda", two, 1) == "cuda:1");
    CHECK(device_of_rank("cuda", two, 2) == "cuda:0");
}
