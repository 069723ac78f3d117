#include "models/builtin/pixels.hpp"

namespace ventral::models {

ScriptModule pixels_network() {
    return {"Network",
            "def forward(self, x):\n    return self.pixels.forward(x)\n",
            {},
            {{"pixels", "def forward(self, x):\n    return x\n", {}, {}}}};
}

}  // namespace ventral::models
