#include "models/operators/image_operators.hpp"

#include "models/operators/joined_channels.hpp"
#include "models/operators/max_pooling.hpp"
#include "models/operators/padding.hpp"
#include "models/operators/pixel_steps.hpp"

namespace ventral::models {

void replace_image_operators(torch::jit::Graph& graph) {
    take_steps_at_once(graph);
    pool_all_channels(graph);
    join_all_channels(graph);
    pad_rows(graph);
}

}  // namespace ventral::models
