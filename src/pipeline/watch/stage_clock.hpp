#pragma once
/// @file
/// Where the time of a rank goes. No result depends on it.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace ventral::pipeline {

enum class Stage {
    extract,  ///< networks, with their trial
    gram,     ///< also where rows are gathered or features reduced
    fit,
    ceilings,
    wait,  ///< for other ranks, and talking with them
    io,    ///< reading and writing files while nothing else is done
    count
};
inline constexpr auto stage_count = static_cast<std::size_t>(Stage::count);
std::string_view name_of(Stage stage);

/// Of the main thread of a rank. A stage inside another one stops the outer one's time, so that the
/// times of all stages add up to no more than has passed.
class StageClock {
public:
    /// A stage lasts as long as this lives. They end in the opposite order of their beginning.
    class Timed {
    public:
        /// Without a clock nothing is measured.
        Timed(StageClock* clock, Stage stage);
        ~Timed();
        Timed(const Timed&) = delete;
        Timed& operator=(const Timed&) = delete;

    private:
        StageClock* clock_;
        std::size_t outer_ = 0;
    };

    /// Of the stage itself, up to now.
    double seconds(Stage stage) const;
    /// The stage that is going on, "" outside of all. Any thread may ask.
    std::string_view going_on() const;
    /// Since the clock was made.
    double total() const;

private:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::size_t none = stage_count;

    /// Returns the stage that was going on.
    std::size_t enter(std::size_t stage);

    Time begin_ = std::chrono::steady_clock::now();
    Time last_ = begin_;  ///< when the stage that is going on began, or began again
    std::atomic<std::size_t> current_ = none;
    std::array<double, stage_count + 1> seconds_{};
};

}  // namespace ventral::pipeline
