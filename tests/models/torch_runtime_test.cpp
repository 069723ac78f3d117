#include "models/runtime/torch_runtime.hpp"

#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/recording/recorder.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using namespace ventral::models;

namespace {

auto threads_of_this_process() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

}  // namespace

// This test runs with OMP_NUM_THREADS=4 and OPENBLAS_NUM_THREADS=4.
TEST_CASE("neither the main thread nor a worker makes libtorch, oneDNN or BLAS start threads") {
    configure_torch();
    configure_torch();
    const ventral::test::TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    ventral::test::save_network(
        {"Net",
         "def forward(self, x):\n"
         "  x = torch.conv2d(x, self.kernel, None, [1, 1], [1, 1])\n"
         "  x = torch.softmax(torch.exp(x), 1)\n"
         "  y = torch.flatten(x, 1)\n"
         "  return torch.mm(y, y.t())\n",
         {{"kernel", {16, 3, 3, 3}, std::vector<float>(16 * 3 * 3 * 3, 0.1F)}},
         {},
         ""},
        path);
    const LayerRecorder recorder(Network::load(path), {output_layer});
    const std::vector<float> batch(8 * 3 * 64 * 64, 0.5F);
    const auto before = threads_of_this_process();
    recorder.record(batch, {8, 3, 64, 64});
    CHECK(threads_of_this_process() == before);
    std::thread([&] {
        recorder.record(batch, {8, 3, 64, 64});
        CHECK(threads_of_this_process() == before + 1);
    }).join();
}

TEST_CASE("the fingerprint names torch, the CPU capability and oneDNN") {
    CHECK_THAT(torch_fingerprint(), StartsWith("torch ") && Contains(", CPU capability ") &&
                                        Contains(", oneDNN v") && !Contains("unknown"));
}

TEST_CASE("a libtorch without CUDA sees no GPU") {
    const auto gpus = visible_gpus();
    if (gpus.supported) return;
    CHECK(gpus.count == 0);
    CHECK_THAT(torch_fingerprint(), !Contains("CUDA"));
}
