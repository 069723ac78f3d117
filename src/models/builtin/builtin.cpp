#include "models/builtin/builtin.hpp"

#include <cassert>
#include <cstdint>

#include "core/hash.hpp"
#include "models/builtin/gabor_v1.hpp"
#include "models/builtin/hmax.hpp"
#include "models/builtin/pixels.hpp"

namespace ventral::models {
namespace {

int version_of(Builtin builtin) {
    switch (builtin) {
        case Builtin::pixels:
            return pixels_version;
        case Builtin::gabor_v1:
            return gabor_v1_version;
        case Builtin::hmax:
            return hmax_version;
    }
    assert(false);
    return 0;
}

}  // namespace

std::vector<Builtin> builtins() { return {Builtin::pixels, Builtin::gabor_v1, Builtin::hmax}; }

std::string name_of(Builtin builtin) {
    switch (builtin) {
        case Builtin::pixels:
            return "pixels";
        case Builtin::gabor_v1:
            return "gabor_v1";
        case Builtin::hmax:
            return "hmax";
    }
    assert(false);
    return "";
}

std::string content_hash(Builtin builtin) {
    return core::KeyBuilder()
        .add("builtin", name_of(builtin))
        .add("version", std::int64_t{version_of(builtin)})
        .key();
}

}  // namespace ventral::models
