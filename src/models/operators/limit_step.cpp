#include "models/operators/limit_step.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

c10::Symbol kinds_name() { return c10::Symbol::attr("limits"); }
c10::Symbol lower_name() { return c10::Symbol::attr("lower"); }
c10::Symbol upper_name() { return c10::Symbol::attr("upper"); }

/// Others libtorch refuses, or makes all values NaN with them.
bool is_bound(double bound) {
    return std::isinf(bound) || std::abs(bound) <= std::numeric_limits<float>::max();
}

}  // namespace

Bounds LimitStep::bounds() const {
    if (kind == Kind::none) return {};
    Bounds bounds{.lower = static_cast<float>(lower)};
    if (kind == Kind::hardtanh) bounds.upper = static_cast<float>(upper);
    return bounds;
}

at::Tensor LimitStep::of(const at::Tensor& tensor, bool in_place) const {
    auto values = tensor;
    if (kind == Kind::relu) return in_place ? at::relu_(values) : at::relu(values);
    if (kind == Kind::hardtanh)
        return in_place ? at::hardtanh_(values, lower, upper) : at::hardtanh(values, lower, upper);
    return values;
}

std::optional<LimitStep> limit_of_operator(const jit::Node& node) {
    const auto kind = node.kind();
    if (kind == c10::aten::relu || kind == c10::aten::relu_)
        return LimitStep{LimitStep::Kind::relu, 0, 0};
    if (kind == c10::aten::relu6 || kind == c10::aten::relu6_)
        return LimitStep{LimitStep::Kind::hardtanh, 0, 6};
    if (kind != c10::aten::hardtanh && kind != c10::aten::hardtanh_) return std::nullopt;
    const auto lower = number_in_evaluation(*node.input(1));
    const auto upper = number_in_evaluation(*node.input(2));
    if (!lower || !upper || !is_bound(*lower) || !is_bound(*upper)) return std::nullopt;
    return LimitStep{LimitStep::Kind::hardtanh, *lower, *upper};
}

void set_limits(jit::Node& node, const std::vector<LimitStep>& limits) {
    std::vector<std::int64_t> kinds;
    std::vector<double> lower, upper;
    for (const auto& limit : limits) {
        kinds.push_back(static_cast<std::int64_t>(limit.kind));
        lower.push_back(limit.lower);
        upper.push_back(limit.upper);
    }
    node.is_(kinds_name(), kinds);
    node.fs_(lower_name(), lower);
    node.fs_(upper_name(), upper);
}

std::vector<LimitStep> limits_of(const jit::Node& node) {
    std::vector<LimitStep> limits;
    const auto& kinds = node.is(kinds_name());
    for (std::size_t i = 0; i < kinds.size(); ++i)
        limits.push_back({static_cast<LimitStep::Kind>(kinds[i]), node.fs(lower_name())[i],
                          node.fs(upper_name())[i]});
    return limits;
}

}  // namespace ventral::models
