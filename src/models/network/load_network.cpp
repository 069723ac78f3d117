#include "models/network/load_network.hpp"

#include <algorithm>
#include <cassert>

#include "core/errors.hpp"
#include "models/builtin/gabor_v1.hpp"
#include "models/builtin/hmax.hpp"
#include "models/builtin/pixels.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
namespace {

[[noreturn]] void refuse(const ModelRecord& model, const std::string& why) {
    throw core::InputError(model.origin + ": the built-in model '" + name_of(*model.builtin) +
                           "' does not fit its [preprocessing] (" + why + ")");
}

/// Square stimuli are as wide as the screen, and are resized before they are cropped.
ScreenResolution screen_of(const ModelRecord& model) {
    std::size_t pixels = 0;
    if (model.preprocessing && model.preprocessing->resize)
        pixels = *model.preprocessing->resize;
    else if (model.preprocessing && model.preprocessing->resize_exact)
        pixels = model.preprocessing->resize_exact->width;
    else
        refuse(model, "it needs 'resize' to know how many pixels a degree has");
    return {static_cast<double>(pixels) / model.visual_degrees, model.visual_degrees};
}

ScriptModule gabor_v1_for(const ModelRecord& model) {
    const auto screen = screen_of(model);
    if (gabor_v1_frequencies(screen).empty())
        refuse(model,
               "no spatial frequency from 0.5 cycles per degree on has two periods on the "
               "screen and four pixels a period");
    return gabor_v1_network(screen);
}

ScriptModule hmax_for(const ModelRecord& model) {
    const auto shape =
        model.preprocessing ? stimuli::tensor_shape(*model.preprocessing) : std::nullopt;
    if (shape && std::min((*shape)[1], (*shape)[2]) < hmax_least_pixels)
        refuse(model, "it needs images of " + std::to_string(hmax_least_pixels) + " pixels");
    return hmax_network();
}

ScriptModule builtin_network(const ModelRecord& model) {
    switch (*model.builtin) {
        case Builtin::pixels:
            return pixels_network();
        case Builtin::gabor_v1:
            return gabor_v1_for(model);
        case Builtin::hmax:
            return hmax_for(model);
    }
    assert(false);
    return {};
}

}  // namespace

Network load_network(const ModelRecord& model, int local_rank) {
    const auto gpus = visible_gpus();
    const auto kind = device_kind(model.device, gpus, model.origin);
    const NetworkOptions options{model.memory_layout, device_of_rank(kind, gpus, local_rank),
                                 local_rank == 0};
    if (!model.builtin) return Network::load(model.weights_file, options);
    return Network::build(builtin_network(model), model.origin, options);
}

}  // namespace ventral::models
