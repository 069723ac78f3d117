/// @file
/// What a program is linked with that leaves networks to another one and so starts without libtorch
/// and its 280 libraries: all that other modules call, which none of its subcommands comes to.

#include "models/runtime/no_networks.hpp"

#include "models/builtin/demo_network.hpp"
#include "models/load_input.hpp"
#include "models/network/load_network.hpp"
#include "models/recording/layer_summary.hpp"
#include "models/recording/layout_mistakes.hpp"
#include "models/recording/pass_flops.hpp"
#include "models/recording/recorder.hpp"
#include "models/runtime/convolution_rate.hpp"

namespace ventral::models {
struct Network::Loaded {};
Network Network::load(const std::string&, const NetworkOptions&) { refuse_networks(); }
const std::string& Network::path() const { refuse_networks(); }
MemoryLayout Network::memory_layout() const { refuse_networks(); }
const std::string& Network::device() const { refuse_networks(); }
std::vector<std::string> Network::layers() const { refuse_networks(); }
std::vector<std::string> Network::tensors() const { refuse_networks(); }
std::vector<std::string> Network::doubtful() const { refuse_networks(); }
std::vector<std::string> Network::unrecordable() const { refuse_networks(); }
bool Network::has_output_layer() const { refuse_networks(); }
Network load_network(const ModelRecord&, int) { refuse_networks(); }

struct LayerRecorder::Program {};
LayerRecorder::LayerRecorder(const Network&, const std::vector<std::string>&) { refuse_networks(); }
void LayerRecorder::check_layout() const { refuse_networks(); }
std::vector<LayerOutput> LayerRecorder::record(std::span<const float>, BatchShape,
                                               std::vector<LayerOutput>) const {
    refuse_networks();
}
std::vector<std::optional<LayerShape>> LayerRecorder::shapes(std::span<const float>,
                                                             BatchShape) const {
    refuse_networks();
}

std::optional<std::string> mistaken_in_layout(Network, InputShape, std::int64_t) {
    refuse_networks();
}

stimuli::TensorShape input_shape(const ModelRecord&) { refuse_networks(); }

std::vector<float> load_input(const ModelRecord&, const std::string&, double) { refuse_networks(); }
std::vector<LayerSummary> summarise_layers(const Network&, InputShape, std::int64_t) {
    refuse_networks();
}
double pass_flops(const Network&, const std::vector<std::string>&, InputShape, std::int64_t) {
    refuse_networks();
}
double convolution_rate(core::Workers&) { refuse_networks(); }
std::vector<std::string> demo_layers() { refuse_networks(); }
void write_demo_network(const std::string&, DemoWeights, std::uint64_t) { refuse_networks(); }

}  // namespace ventral::models
