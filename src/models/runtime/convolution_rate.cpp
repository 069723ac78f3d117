#include "models/runtime/convolution_rate.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/allocator.hpp"
#include "core/seconds_since.hpp"
#include "models/builtin/script_module.hpp"
#include "models/network/network.hpp"
#include "models/recording/pass_flops.hpp"
#include "models/recording/recorder.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
namespace {

// So large that what one layer gives does not stay in a cache until the next one reads it.
constexpr std::int64_t pixels = 112;
constexpr std::int64_t batch = 16;
constexpr int rounds = 40;

/// With `side` × `side` weights, and a ReLU of its own, as most networks have.
ScriptModule convolution(const std::string& name, std::int64_t to, std::int64_t from, int side) {
    const std::string border = std::to_string(side / 2);
    return {name,
            "def forward(self, x):\n"
            "    return torch.relu(torch.conv2d(x, self.weight, None, [1, 1], [" +
                border + ", " + border + "]))\n",
            {{"weight",
              {to, from, side, side},
              std::vector<float>(static_cast<std::size_t>(to * from * side * side), 0.01F)}},
            {}};
}

/// The kinds of layers that most arithmetic and most memory traffic of image networks is in: wide
/// and narrow convolutions as in the early stages of a ResNet or SqueezeNet, ReLU and pooling.
Network small_network() {
    return Network::build({"Convolutions",
                           "def forward(self, x):\n"
                           "    wide = torch.max_pool2d(self.first.forward(x), [3, 3], [2, 2])\n"
                           "    return self.third.forward(self.second.forward(wide))\n",
                           {},
                           {convolution("first", 64, 3, 3), convolution("second", 16, 64, 1),
                            convolution("third", 64, 16, 3)}},
                          "calibration");
}

}  // namespace

double convolution_rate(core::Workers& workers) {
    configure_torch();
    const core::KeepsFreedBlocks while_it_runs;  // as an extraction does
    const auto network = small_network();
    const LayerRecorder recorder(network, {"third"});
    const std::vector<float> images(static_cast<std::size_t>(batch * 3 * pixels * pixels), 0.5F);
    const auto run = [&](int times) {
        workers.parallel_for(workers.threads(), [&](std::size_t) {
            configure_torch_thread();
            std::vector<LayerOutput> used;
            for (int i = 0; i < times; ++i)
                used = recorder.record(images, {batch, 3, pixels, pixels}, std::move(used));
        });
    };
    run(1);
    const double seconds = core::seconds_taken([&] { run(rounds); });
    return static_cast<double>(rounds * batch) *
           pass_flops(network, {"third"}, {3, pixels, pixels}, batch) / seconds;
}

}  // namespace ventral::models
