#pragma once
/// @file
/// Networks of a few operators on images whose arithmetic is exact in any order, so that libtorch's
/// operators in the contiguous layout say what is right.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "models/builtin/script_module.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::test::exact {

using models::ScriptModule;
using models::ScriptWeight;
using Values = std::vector<float>;

/// Two images of six channels and 9 × 7 pixels.
inline constexpr models::BatchShape shape{2, 6, 9, 7};

/// Whole numbers from -3 to 3: sums of their products are exact in any order.
inline Values numbers(std::size_t count, std::size_t step) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * step % 7) - 3;
    return values;
}

inline const Values images = numbers(2 * 6 * 9 * 7, 5);

inline ScriptWeight filters(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                            std::int64_t side) {
    return {name,
            {outputs, inputs, side, side},
            numbers(static_cast<std::size_t>(outputs * inputs * side * side), 3)};
}

inline ScriptWeight of_channels(const std::string& name, Values values) {
    return {name, {static_cast<std::int64_t>(values.size())}, values};
}

/// A normalisation of six channels whose arithmetic is exact.
inline const std::vector<ScriptWeight> statistics{
    of_channels("weight", {1, -2, 4, 1, 2, 1}), of_channels("bias", {3, 0, 1, -4, 2, 2}),
    of_channels("mean", {-1, 0, 2, 5, -3, 1}), of_channels("variance", {1, 4, 16, 0.25, 4, 1})};

inline const std::string normalised =
    "torch.batch_norm(x, self.weight, self.bias, self.mean, self.variance, False, 0.1, 0., False)";

inline ScriptModule module(const std::string& name, const std::string& expression,
                           const std::vector<ScriptWeight>& weights = {}) {
    return {name, "def forward(self, x):\n  return " + expression + "\n", weights, {}};
}

inline std::vector<models::LayerOutput> recorded(const ScriptModule& root,
                                                 const std::vector<std::string>& layers,
                                                 models::MemoryLayout layout,
                                                 const Values& batch = images) {
    const auto network = models::Network::build(root, "net.ts", {.memory_layout = layout});
    return models::LayerRecorder(network, layers).record(batch, shape);
}

/// But for the sign of a zero, and of what NaN it is.
inline bool same(const models::LayerOutput& given, const models::LayerOutput& expected) {
    const auto alike = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    return given.shape == expected.shape &&
           std::equal(given.values.begin(), given.values.end(), expected.values.begin(),
                      expected.values.end(), alike);
}

inline bool same_bits(const Values& a, const Values& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline const std::vector<ScriptWeight> two_filters{filters("w", 6, 6, 3), filters("one", 6, 6, 1)};

/// A network of the normalisation's and the filters' weights.
inline ScriptModule with_weights(const std::string& forward) {
    auto weights = statistics;
    weights.insert(weights.end(), two_filters.begin(), two_filters.end());
    return {"Net", "def forward(self, x):\n" + forward, weights, {}};
}

/// Whether what forward gives in channels_last is what libtorch's own operators give.
inline bool as_in_libtorch(const std::string& forward, const Values& batch = images) {
    UNSCOPED_INFO(forward);
    const auto root = with_weights(forward);
    const auto given = recorded(root, {"logits"}, models::MemoryLayout::channels_last, batch)[0];
    return same(given, recorded(root, {"logits"}, models::MemoryLayout::contiguous, batch)[0]);
}

inline const std::string convolved = "  y = torch.conv2d(x, self.w, None, 1, 1)\n";

}  // namespace ventral::test::exact
