#include "models/runtime/device.hpp"

#include <cassert>

#include "core/errors.hpp"

namespace ventral::models {

std::string device_kind(const std::string& device, const Gpus& gpus, const std::string& place) {
    if (device == "cpu") return "cpu";
    if (device == "auto") return gpus.count > 0 ? "cuda" : "cpu";
    if (device != "cuda")
        throw core::InputError(place + ": unknown device \"" + device +
                               "\" (known: auto, cpu, cuda)");
    if (gpus.count > 0) return "cuda";
    throw core::InputError(place + ": device = \"cuda\" is not available (" +
                           (gpus.supported ? "libtorch finds no CUDA device here"
                                           : "this libtorch is built without CUDA") +
                           ") use \"auto\" or \"cpu\"");
}

std::string device_of_rank(const std::string& kind, const Gpus& gpus, int local_rank) {
    if (kind == "cpu") return kind;
    assert(gpus.count > 0);
    return kind + ":" + std::to_string(local_rank % gpus.count);
}

}  // namespace ventral::models
