#include "pipeline/extraction/work_ahead.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

#include "comm/records.hpp"
#include "core/allocator.hpp"

namespace ventral::pipeline {
namespace {

/// The part of a rank's peak that estimates may miss unnoticed.
constexpr double small_part = 1.0 / 40;

/// In the trace this rank is at the next unit as long as this lives.
class InTrace {
public:
    InTrace(CrashTrace* trace, const ExpectedPass& pass) : trace_(trace) {
        if (trace_) trace_->begin_ahead(pass.unit, pass.name);
    }
    ~InTrace() {
        if (trace_) trace_->end_ahead();
    }
    InTrace(const InTrace&) = delete;
    InTrace& operator=(const InTrace&) = delete;

private:
    CrashTrace* trace_;
};

bool are_same(const ExtractRequest& a, const ExtractRequest& b) {
    return &a.model == &b.model && &a.stimuli == &b.stimuli && a.layers == b.layers &&
           a.key == b.key && a.access == b.access && a.trials == b.trials;
}

}  // namespace

WorkAhead::WorkAhead(Rules rules, TeamContext& context)
    : rules_(std::move(rules)),
      context_(context),
      local_rank_(context.team.split_by_node()->rank()),
      memory_(context.team.share(sizeof(std::uint64_t) *
                                 static_cast<std::size_t>(context.team.size()))) {
    const auto workers = comm::gather_records(context.team, context.workers.threads());
    first_batch_ =
        std::accumulate(workers.begin(), workers.begin() + context.team.rank(), std::size_t{0});
}

void WorkAhead::begin_tail(double held_bytes) {
    drop();
    is_in_tail_ = true;
    has_room_ = has_room(held_bytes);
    ++tail_;
}

/// In the lower half of the bound, since what a network takes is known when it has run.
bool WorkAhead::has_room(double held_bytes) const {
    if (!context_.peak_memory) return false;
    const double peak = context_.peak_memory();
    const double bound = context_.memory_bound.bytes;
    return held_bytes <= small_part * peak && (bound <= 0 || 2 * peak <= bound);
}

void WorkAhead::use_tail(const std::function<void()>& meanwhile) {
    if (!std::exchange(is_in_tail_, false)) return;
    std::atomic_ref(tail_of(context_.team.rank())).store(tail_);
    const auto is_over = [&] {
        meanwhile();
        return all_are_in_tail() || context_.stop.pending();
    };
    if (!has_room_ || ends_soon(is_over)) return;
    std::optional<ExpectedPass> pass;
    succeeds([&] {
        if (auto expected = rules_.next()) pass.emplace(std::move(*expected));
    });
    if (!pass) return;
    const auto time = context_.time(Stage::extract);
    const InTrace in_trace(context_.trace, *pass);
    prepare(*pass, is_over);
}

bool WorkAhead::ends_soon(const std::function<bool()>& is_over) const {
    using Clock = std::chrono::steady_clock;
    const auto time = context_.time(Stage::wait);
    const auto end = Clock::now() + std::chrono::duration<double>(rules_.patience_s);
    while (!is_over()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

void WorkAhead::prepare(const ExpectedPass& pass, const std::function<bool()>& is_over) {
    const core::KeepsFreedBlocks while_the_network_runs;
    const bool is_loaded = succeeds([&] {
        at_hand_.runner =
            std::make_unique<BatchRunner>(pass.request, context_.kept.compression, local_rank_);
        context_.got_on();
    });
    if (is_loaded && !is_over()) succeeds([&] { run_batches(); });
}

void WorkAhead::run_batches() {
    const auto batches = at_hand_.runner->batches();
    if (first_batch_ >= batches) return;
    auto& outputs = at_hand_.outputs;
    outputs.resize(std::min(context_.workers.threads(), batches - first_batch_));
    context_.workers.parallel_for(outputs.size(), [&](std::size_t i) {
        outputs[i] = at_hand_.runner->run(first_batch_ + i);
    });
}

bool WorkAhead::succeeds(const std::function<void()>& step) {
    try {
        step();
        return true;
    } catch (const std::exception&) {
        drop();
        return false;
    }
}

WorkAhead::AtHand WorkAhead::take(const ExtractRequest& request) {
    AtHand taken;
    if (at_hand_.runner && are_same(at_hand_.runner->request(), request))
        taken = std::exchange(at_hand_, {});
    drop();
    return taken;
}

void WorkAhead::drop() {
    if (!at_hand_.runner) return;
    at_hand_ = {};
    core::give_back_freed_memory();
}

void WorkAhead::end_unit(const std::string& key) {
    is_in_tail_ = false;
    if (at_hand_.runner && at_hand_.runner->request().key == key) drop();
}

std::uint64_t& WorkAhead::tail_of(int rank) const {
    return memory_->as<std::uint64_t>()[static_cast<std::size_t>(rank)];
}

bool WorkAhead::all_are_in_tail() const {
    for (int rank = 0; rank < context_.team.size(); ++rank)
        if (std::atomic_ref(tail_of(rank)).load() < tail_) return false;
    return true;
}

}  // namespace ventral::pipeline
