#include "models/convolution_rate.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/pass_flops.hpp"
#include "models/recorder.hpp"
#include "models/script_module.hpp"
#include "models/torch_runtime.hpp"

namespace ventral::models {
namespace {

constexpr std::int64_t pixels = 56;
constexpr std::int64_t batch = 8;

ScriptModule convolution(const std::string& name, std::int64_t to, std::int64_t from, int stride) {
    const std::string text = std::to_string(stride);
    return {name,
            "def forward(self, x):\n"
            "    return torch.conv2d(x, self.weight, None, [" +
                text + ", " + text + "], [1, 1])\n",
            {{"weight",
              {to, from, 3, 3},
              std::vector<float>(static_cast<std::size_t>(to * from * 9), 0.01F)}},
            {}};
}

/// Channels as in the early stages of a ResNet or VGG.
Network small_network() {
    return Network::build({"Convolutions",
                           "def forward(self, x):\n"
                           "    return self.third.forward(self.second.forward("
                           "self.first.forward(x)))\n",
                           {},
                           {convolution("first", 64, 3, 1), convolution("second", 64, 64, 1),
                            convolution("third", 128, 64, 2)}},
                          "calibration");
}

}  // namespace

double convolution_rate(core::Workers& workers) {
    configure_torch();
    const auto network = small_network();
    const LayerRecorder recorder(network, {"third"});
    const std::vector<float> images(static_cast<std::size_t>(batch * 3 * pixels * pixels), 0.5F);
    const auto round = [&] {
        workers.parallel_for(workers.threads(), [&](std::size_t) {
            configure_torch_thread();
            recorder.record(images, {batch, 3, pixels, pixels});
        });
    };
    round();
    const auto start = std::chrono::steady_clock::now();
    round();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return static_cast<double>(batch) * pass_flops(network, {"third"}, {3, pixels, pixels}) /
           seconds.count();
}

}  // namespace ventral::models
