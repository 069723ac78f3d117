#include "pipeline/journal/death.hpp"

#include <algorithm>
#include <sstream>

#include "pipeline/watch/memory_bound.hpp"
#include "pipeline/watch/stage_clock.hpp"

namespace ventral::pipeline {
namespace {

/// Whether a rank waited for another one: that one knows better why nothing moved.
bool is_of_waiting(const std::string& cause) {
    return cause.ends_with(" in " + std::string(name_of(Stage::wait)));
}

/// Of a rank that lacked memory. A rank that may take more, or whatever there is, need not lack it.
Death death_of_want(const std::string& word, const std::string& place, double memory_bound) {
    std::istringstream text(word.substr(trace_word::lacked.size()));
    double bound = 0;
    std::string cause;
    std::getline(text >> bound >> std::ws, cause);
    const bool has_more = memory_bound == 0 || has_more_room(memory_bound, bound);
    return {has_more, core::FailureClass::out_of_memory, cause + " for want of memory", place};
}

}  // namespace

Death death_of(const TraceWords& words, std::size_t ranks, double memory_bound) {
    std::size_t stopped = 0;
    Death death;
    for (std::size_t rank = 0; rank < words.size(); ++rank) {
        const auto& word = words[rank];
        const auto place = ranks > 1 ? ", rank " + std::to_string(rank) + " of its node" : "";
        if (word.starts_with(trace_word::crashed))
            return {false, core::FailureClass::crashed, word.substr(trace_word::crashed.size()),
                    place};
        if (word.starts_with(trace_word::lacked)) {
            const auto want = death_of_want(word, place, memory_bound);
            if (!want.is_excused) return want;
            death.is_excused = true;
        }
        const bool is_timeout = death.as == core::FailureClass::timeout;
        if (word.starts_with(trace_word::timed_out) && (!is_timeout || is_of_waiting(death.cause)))
            death = {false, core::FailureClass::timeout,
                     "no progress for " + word.substr(trace_word::timed_out.size()), place};
        death.is_excused = death.is_excused || word == trace_word::excused;
        if (word == trace_word::stopped) ++stopped;
    }
    // One rank that was not asked to stop was killed; the launcher then asks the others.
    if (death.as != core::FailureClass::timeout)
        death.is_excused = death.is_excused || stopped >= ranks;
    return death;
}

bool is_explanation(const std::string& word) {
    return word.starts_with(trace_word::crashed) || word.starts_with(trace_word::lacked) ||
           word.starts_with(trace_word::timed_out);
}

TraceWords words_of_unit(TraceWords words, const TraceWords& places) {
    bool is_elsewhere = false;
    for (std::size_t rank = 0; rank < std::min(words.size(), places.size()); ++rank) {
        if (places[rank].empty() || !is_explanation(words[rank])) continue;
        is_elsewhere = true;
        words[rank] = trace_word::excused;
    }
    for (auto& word : words)
        if (is_elsewhere && is_explanation(word) && is_of_waiting(word)) word = trace_word::excused;
    return words;
}

}  // namespace ventral::pipeline
