#include "print_leaderboard.hpp"

#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/log.hpp"
#include "leaderboard/leaderboard_text.hpp"

namespace ventral::jobs {
namespace {

std::size_t text_width() {
    winsize size{};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : 120;
}

}  // namespace

void log_problems(const leaderboard::Night& night) {
    for (const auto& warning : night.warnings) core::log_warning_once(warning);
    if (const auto warning = leaderboard::namesakes(night.records)) core::log_warning(*warning);
    for (const auto& conflict : night.conflicts) core::log_error(conflict);
}

void print_leaderboard(const leaderboard::Night& night) {
    log_problems(night);
    // Out before what the log says next: mpirun may put the two together.
    std::cout << leaderboard::leaderboard_text(night, text_width()) << std::flush;
}

}  // namespace ventral::jobs
