#include "pipeline/watch/stage_clock.hpp"

namespace ventral::pipeline {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string_view name_of(Stage stage) {
    constexpr auto names =
        std::to_array<std::string_view>({"extract", "gram", "fit", "ceilings", "wait", "io"});
    static_assert(names.size() == stage_count);
    return names[static_cast<std::size_t>(stage)];
}

StageClock::Timed::Timed(StageClock* clock, Stage stage) : clock_(clock) {
    if (clock_) outer_ = clock_->enter(static_cast<std::size_t>(stage));
}

StageClock::Timed::~Timed() {
    if (clock_) clock_->enter(outer_);
}

double StageClock::seconds(Stage stage) const {
    const auto index = static_cast<std::size_t>(stage);
    const double going_on =
        index == current_ ? seconds_between(last_, std::chrono::steady_clock::now()) : 0;
    return seconds_[index] + going_on;
}

std::string_view StageClock::going_on() const {
    const std::size_t stage = current_;
    return stage == none ? std::string_view() : name_of(static_cast<Stage>(stage));
}

double StageClock::total() const {
    return seconds_between(begin_, std::chrono::steady_clock::now());
}

std::size_t StageClock::enter(std::size_t stage) {
    const auto now = std::chrono::steady_clock::now();
    seconds_[current_] += seconds_between(last_, now);
    last_ = now;
    return current_.exchange(stage);
}

}  // namespace ventral::pipeline
