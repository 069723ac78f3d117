#include "file_trial.hpp"

#include "core/log.hpp"
#include "exit_codes.hpp"
#include "io/fragile_parts.hpp"
#include "io/survivable.hpp"
#include "trial_process.hpp"

namespace ventral::jobs {

std::optional<int> try_file(const std::string& path) {
    const auto result = do_trial(Trial::file, {path});
    if (result.start_error != 0) return std::nullopt;
    return result.status;
}

int try_file_here(const std::vector<std::string>& words) {
    if (words.size() != 1) return exit_failed;
    core::configure_log({core::LogLevel::error, ""});
    io::end_when_damaged(words.front());
    io::read_fragile_parts(words.front());
    return exit_done;
}

}  // namespace ventral::jobs
