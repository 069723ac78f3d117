#include "pipeline/memory_bound.hpp"

#include <algorithm>

#include "core/counted.hpp"
#include "core/number_text.hpp"

namespace ventral::pipeline {
namespace {

/// "start fewer ranks (there were 4) or threads (8 a rank)", as far as there are fewer.
std::string fewer(const MemoryShare& share) {
    std::string text;
    if (share.ranks > 1)
        text = "fewer ranks (there were " + std::to_string(share.ranks) + " on the node)";
    if (share.threads > 1)
        text += (text.empty() ? "" : " or ") +
                ("fewer threads (" + std::to_string(share.threads) + " a rank)");
    return text.empty() ? "" : ", or start " + text;
}

/// What would be enough by the plan's formula for the unit.
std::string enough(const MemoryShare& share) {
    if (share.bound <= 0 || share.expected <= share.bound) return "";
    const double node = share.bound * static_cast<double>(share.ranks);
    const auto ranks = static_cast<std::size_t>(node / share.expected);
    std::string text =
        "; the plan expects " + core::bytes_text(share.expected) + " for a rank: --memory " +
        core::bytes_text(share.expected * static_cast<double>(share.ranks)) + " would do";
    if (ranks > 0) text += ", or " + core::counted(ranks, "rank") + " with what there was";
    return text;
}

}  // namespace

void note_memory_bound(core::ScoreRecord& record, const MemoryShare& share) {
    const std::string allowed =
        share.bound > 0 ? ": a rank may take " + core::bytes_text(share.bound) : std::string();
    if (share.bound > 0) record.memory["bound"] = share.bound;
    const auto& reason = record.failure->reason;
    record.failure->reason = "out of memory (" + reason.substr(0, reason.find('\n')) + allowed +
                             ") raise --memory" + fewer(share) + enough(share);
}

}  // namespace ventral::pipeline
