#include "file_trial.hpp"

#include <cstddef>
#include <map>
#include <mutex>

#include "core/log.hpp"
#include "exit_codes.hpp"
#include "io/hdf5/fragile_parts.hpp"
#include "io/hdf5/survivable.hpp"
#include "pipeline/inputs/hash_cache.hpp"
#include "trial_process.hpp"

namespace ventral::jobs {
namespace {

/// Each table of a file has the labels read once more.
constexpr std::size_t readings = 8;

/// Files that have passed a trial of this process, as they were then.
class PassedFiles {
public:
    bool contains(const std::string& path, const std::string& state) const {
        const std::lock_guard lock(mutex_);
        const auto known = states_.find(path);
        return !state.empty() && known != states_.end() && known->second == state;
    }
    void add(const std::string& path, const std::string& state) {
        const std::lock_guard lock(mutex_);
        states_[path] = state;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> states_;
};

}  // namespace

std::optional<int> try_file(const std::string& path) {
    static PassedFiles passed;
    const auto state = pipeline::state_of({path});
    if (passed.contains(path, state)) return 0;
    const auto result = do_trial(Trial::file, {path});
    if (result.start_error != 0) return std::nullopt;
    if (result.status == 0) passed.add(path, state);
    return result.status;
}

int try_file_here(const std::vector<std::string>& words) {
    if (words.size() != 1) return exit_failed;
    core::configure_log({core::LogLevel::error, ""});
    io::end_when_damaged(words.front(), readings);
    io::read_fragile_parts(words.front());
    return exit_done;
}

}  // namespace ventral::jobs
