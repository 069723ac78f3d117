#include "pipeline/memory_bound.hpp"

#include "core/number_text.hpp"

namespace ventral::pipeline {

void note_memory_bound(core::ScoreRecord& record, double bound) {
    const std::string allowed =
        bound > 0 ? ": a rank may take " + core::bytes_text(bound) : std::string();
    if (bound > 0) record.memory["bound"] = bound;
    const auto& reason = record.failure->reason;
    record.failure->reason = "out of memory (" + reason.substr(0, reason.find('\n')) + allowed +
                             ") raise --memory, or start fewer ranks or threads";
}

}  // namespace ventral::pipeline
