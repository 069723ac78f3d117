#include "pipeline/watch/progress.hpp"

#include <unistd.h>

#include "core/log.hpp"

namespace ventral::pipeline {
namespace {

using namespace std::chrono_literals;

constexpr auto terminal_interval = 200ms;
constexpr auto log_interval = 10s;
constexpr std::size_t bar_width = 30;

std::string bar(std::size_t done, std::size_t total) {
    const std::size_t filled = total == 0 ? bar_width : done * bar_width / total;
    return "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "]";
}

}  // namespace

Progress::Progress(Shown shown) : shown_(shown), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { core::clear_status(); }

void Progress::begin(const std::string& work) {
    if (shown_ == Shown::no) return;
    work_ = work;
    last_stage_.clear();
    last_shown_ = std::chrono::steady_clock::now();
    core::log_info(work_);
}

void Progress::step(const std::string& stage, std::size_t done, std::size_t total) {
    if (shown_ == Shown::no) return;
    const auto now = std::chrono::steady_clock::now();
    const bool due = now - last_shown_ >= (terminal_ ? std::chrono::nanoseconds(terminal_interval)
                                                     : std::chrono::nanoseconds(log_interval));
    // In a log a stage is announced only once it turns out to be long.
    if (!due && !(terminal_ && stage != last_stage_)) {
        if (stage != last_stage_) last_shown_ = now;
        last_stage_ = stage;
        return;
    }
    last_shown_ = now;
    last_stage_ = stage;
    const std::string text =
        work_ + ": " + stage + " " + std::to_string(done) + "/" + std::to_string(total);
    if (!terminal_) {
        core::log_info(text);
        return;
    }
    core::show_status(bar(done, total) + " " + text);
}

}  // namespace ventral::pipeline
