#pragma once
/// @file
/// What a layer's features give, in whichever form they are kept.

#include <vector>

#include "pipeline/fit/layer_gram.hpp"

namespace ventral::test {

/// K, rows × rows, or the products of the features that stand for it.
inline std::vector<double> products_of(const pipeline::LayerGram& gram) {
    const auto kernel = pipeline::forms_of(gram).kernel;
    core::Workers workers(1);
    const stats::Matrix entries =
        kernel.is_held() ? stats::Matrix(kernel.entries()) : kernel.whole(workers);
    return {entries.data(), entries.data() + entries.size()};
}

}  // namespace ventral::test
