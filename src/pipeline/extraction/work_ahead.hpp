#pragma once
/// @file
/// What a rank does for the next unit of its team while other ranks still fit the present one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "pipeline/extraction/batch_runner.hpp"
#include "pipeline/extraction/extract.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// A pass of a network that a unit will ask for.
struct ExpectedPass {
    std::string unit;  ///< its id
    std::string name;  ///< for people
    ExtractRequest request;
};

/// At the end of a unit a rank without a fold group left loads the network of the next one and runs
/// the batches that it would begin with, one on each worker, so that it then has them at hand. No
/// more is in memory then than at any time of an extraction, but for what the present unit's fits
/// are made on: a plan's estimate does not count both together, so that this has to be small. What
/// fails is dropped, and fails again where it belongs. Not worth while when the others end soon:
/// whoever has begun cannot be called back before the next batch.
class WorkAhead {
public:
    struct Rules {
        /// The pass that comes next, if it is known and may be run ahead. May throw.
        std::function<std::optional<ExpectedPass>()> next;
        double patience_s = 0.5;  ///< about as long as loading a network takes
    };

    /// What this rank has of a pass; nothing: no network, and no outputs.
    struct AtHand {
        std::unique_ptr<BatchRunner> runner;
        std::vector<BatchOutput> outputs;
    };

    /// The team must be on one node. Collective, as is its end.
    WorkAhead(Rules rules, TeamContext& context);

    /// The unit in work comes to its last fits, which keep so much in memory. On every rank.
    void begin_tail(double held_bytes);

    /// For a rank that has no more to do in these fits: works ahead until all are as far, or the
    /// run is to stop, or there is no more to do. `meanwhile` is called now and then. Not
    /// collective. Throws only what `meanwhile` does.
    void use_tail(const std::function<void()>& meanwhile);

    /// What is at hand of this very pass; anything else is dropped.
    AtHand take(const ExtractRequest& request);
    void drop();

    /// The unit of this key has come to its end: drops what it has not made use of.
    void end_unit(const std::string& key);

private:
    bool has_room(double held_bytes) const;
    /// Whether the tail ends before patience does.
    bool ends_soon(const std::function<bool()>& is_over) const;
    void prepare(const ExpectedPass& pass, const std::function<bool()>& is_over);
    void run_batches();
    /// False if the step fails, with everything dropped.
    bool succeeds(const std::function<void()>& step);
    std::uint64_t& tail_of(int rank) const;
    bool all_are_in_tail() const;

    Rules rules_;
    TeamContext& context_;
    int local_rank_;
    std::size_t first_batch_ = 0;                 ///< that this rank would begin with
    std::unique_ptr<comm::SharedMemory> memory_;  ///< of each rank the last tail that it came to
    std::uint64_t tail_ = 0;                      ///< counted from 1
    bool is_in_tail_ = false;
    bool has_room_ = false;
    AtHand at_hand_;
};

}  // namespace ventral::pipeline
