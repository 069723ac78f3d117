#pragma once
/// @file
/// What ended a job that was at a unit or a ceiling, by the words that its ranks have left.

#include <cstddef>
#include <string>

#include "core/errors.hpp"
#include "pipeline/watch/crash_trace.hpp"

namespace ventral::pipeline {

/// What ended an attempt that did not come to its end.
struct Death {
    bool is_excused = false;
    core::FailureClass as = core::FailureClass::crashed;
    std::string cause;  ///< "SIGSEGV"; empty: nothing explains it
    std::string place;  ///< ", rank 1 of its node", or empty
};

/// Of a team of so many ranks that did not come to the end of its work. `memory_bound` as in
/// `unit_histories`.
Death death_of(const TraceWords& words, std::size_t ranks, double memory_bound);

/// Whether it says what ended a rank.
bool is_explanation(const std::string& word);

/// What the words say of the unit that a team was at. A rank that was elsewhere, as `places` tell,
/// says nothing of it, nor do those that waited for such a one.
TraceWords words_of_unit(TraceWords words, const TraceWords& places);

}  // namespace ventral::pipeline
