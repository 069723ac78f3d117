/// @file
/// What a program is linked with that leaves networks to another one and so starts without libtorch
/// and its 280 libraries: all that other modules call, which none of its subcommands comes to.

#include <cassert>
#include <stdexcept>

#include "models/convolution_rate.hpp"
#include "models/demo_network.hpp"
#include "models/layer_summary.hpp"
#include "models/layout_mistakes.hpp"
#include "models/load_input.hpp"
#include "models/load_network.hpp"
#include "models/pass_flops.hpp"
#include "models/recorder.hpp"

namespace ventral::models {
namespace {

[[noreturn]] void refuse() {
    assert(false);
    throw std::logic_error("this program is linked without networks");
}

}  // namespace

struct Network::Loaded {};
Network Network::load(const std::string&, const NetworkOptions&) { refuse(); }
const std::string& Network::path() const { refuse(); }
MemoryLayout Network::memory_layout() const { refuse(); }
const std::string& Network::device() const { refuse(); }
std::vector<std::string> Network::layers() const { refuse(); }
std::vector<std::string> Network::tensors() const { refuse(); }
std::vector<std::string> Network::doubtful() const { refuse(); }
std::vector<std::string> Network::unrecordable() const { refuse(); }
bool Network::has_output_layer() const { refuse(); }
Network load_network(const ModelRecord&, int) { refuse(); }

struct LayerRecorder::Program {};
LayerRecorder::LayerRecorder(const Network&, const std::vector<std::string>&) { refuse(); }
void LayerRecorder::check_layout() const { refuse(); }
std::vector<LayerOutput> LayerRecorder::record(std::span<const float>, BatchShape,
                                               std::vector<LayerOutput>) const {
    refuse();
}
std::vector<std::optional<LayerShape>> LayerRecorder::shapes(std::span<const float>,
                                                             BatchShape) const {
    refuse();
}

std::optional<std::string> mistaken_in_layout(Network, InputShape, std::int64_t) { refuse(); }

stimuli::TensorShape input_shape(const ModelRecord&) { refuse(); }

std::vector<float> load_input(const ModelRecord&, const std::string&, double) { refuse(); }
std::vector<LayerSummary> summarise_layers(const Network&, InputShape, std::int64_t) { refuse(); }
double pass_flops(const Network&, const std::vector<std::string>&, InputShape, std::int64_t) {
    refuse();
}
double convolution_rate(core::Workers&) { refuse(); }
std::vector<std::string> demo_layers() { refuse(); }
void write_demo_network(const std::string&, DemoWeights, std::uint64_t) { refuse(); }

}  // namespace ventral::models
