#include "trial_process.hpp"

#include "exit_codes.hpp"
#include "file_trial.hpp"
#include "network_trial.hpp"

namespace ventral::jobs {
namespace {

constexpr auto networks = "networks";
constexpr auto file = "file";

/// The first word is the kind of trial.
int try_here(const std::vector<std::string>& words, int answers) {
    if (words.empty()) return exit_failed;
    const std::vector<std::string> others(words.begin() + 1, words.end());
    return words.front() == file ? try_file_here(others) : try_networks(others, answers);
}

}  // namespace

void start_trial_server() { start_fork_server(try_here); }

ForkedResult do_trial(Trial trial, std::vector<std::string> words) {
    words.insert(words.begin(), trial == Trial::file ? file : networks);
    return do_forked(words);
}

}  // namespace ventral::jobs
