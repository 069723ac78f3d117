#include "pipeline/watch/memory_bound.hpp"

#include <algorithm>

#include "core/counted.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace ventral::pipeline {
namespace {

/// ": a rank may take 1 GiB, the limit is --memory".
std::string allowed(const MemoryBound& bound) {
    if (bound.bytes <= 0) return "";
    return ": a rank may take " + core::bytes_text(bound.bytes) +
           (bound.source.empty() ? "" : ", the limit is " + bound.source);
}

/// "start fewer ranks (there were 4) or threads (8 a rank)", as far as there are fewer.
std::string fewer(const MemoryShare& share) {
    std::string text;
    if (share.ranks > 1 && share.bound.is_of_node)
        text = "fewer ranks (there were " + std::to_string(share.ranks) + " on the node)";
    if (share.threads > 1)
        core::add_part(text, "fewer threads (" + std::to_string(share.threads) + " a rank)",
                       " or ");
    return text.empty() ? "" : ", or start " + text;
}

/// What would be enough by the plan's formula for the unit.
std::string enough(const MemoryShare& share) {
    const double bound = share.bound.bytes;
    if (bound <= 0 || share.expected <= bound) return "";
    const auto expected = "; the plan expects " + core::bytes_text(share.expected) + " for a rank";
    if (!share.bound.is_of_node) return expected;
    const double node = bound * static_cast<double>(share.ranks);
    const double tried_again = std::max(share.expected, bound + differs_from_start_to_start);
    const auto ranks = static_cast<std::size_t>(node / tried_again);
    std::string text = expected + ": " +
                       core::bytes_text(tried_again * static_cast<double>(share.ranks)) +
                       " on the node would do";
    if (ranks > 0) text += ", or " + core::counted(ranks, "rank") + " with what there was";
    return text;
}

}  // namespace

void note_memory_bound(core::ScoreRecord& record, const MemoryShare& share) {
    const auto& bound = share.bound;
    if (bound.bytes > 0) record.memory["bound"] = bound.bytes;
    const auto& reason = record.failure->reason;
    record.failure->reason = "out of memory (" + reason.substr(0, reason.find('\n')) +
                             allowed(bound) + ") " + bound.remedy + fewer(share) + enough(share);
}

}  // namespace ventral::pipeline
