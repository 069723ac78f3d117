#include "models/recording/own_draws.hpp"

#include <array>
#include <atomic>
#include <cassert>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include "core/hash.hpp"
#include "models/network/random_operators.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

const auto place_name = c10::Symbol::attr("place");

std::atomic<std::size_t> draws = 0;
thread_local DrawsOfPass* of_this_thread = nullptr;

std::mutex& stream_of_process() {
    static std::mutex mutex;
    return mutex;
}

c10::Symbol beginning_kind() {
    static const auto kind = registered_kind("ventral::begin_draw", [](const jit::Node* node) {
        return jit::Operation([place = node->i(place_name)](jit::Stack&) {
            assert(of_this_thread);
            of_this_thread->begin(place);
        });
    });
    return kind;
}

c10::Symbol ending_kind() {
    static const auto kind = registered_kind("ventral::end_draw", [](const jit::Node*) {
        return jit::Operation([](jit::Stack&) { of_this_thread->end(); });
    });
    return kind;
}

}  // namespace

void give_own_draws(jit::Graph& graph) {
    std::int64_t place = 0;
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        if (!may_draw(node)) return;
        auto* begin = graph.create(beginning_kind(), 0);
        begin->i_(place_name, place++);
        begin->insertBefore(&node);
        graph.create(ending_kind(), 0)->insertAfter(&node);
    });
}

DrawsOfPass::DrawsOfPass(std::span<const float> batch) : batch_(batch) {
    assert(!of_this_thread);
    of_this_thread = this;
}

DrawsOfPass::~DrawsOfPass() { of_this_thread = nullptr; }

void DrawsOfPass::begin(std::int64_t operator_place) {
    if (!checksum_) checksum_ = core::crc32c(std::as_bytes(batch_));
    const std::array<std::int64_t, 3> parts = {*checksum_, operator_place,
                                               drawn_[operator_place]++};
    ++draws;
    stream_ = std::unique_lock(stream_of_process());
    at::manual_seed(core::crc32c(std::as_bytes(std::span(parts))));
}

std::size_t draws_so_far() { return draws; }

}  // namespace ventral::models
