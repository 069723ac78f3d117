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

/// How the trials of this process have ended, of files as they were then: of a damaged one each may
/// take many seconds.
class TriedFiles {
public:
    std::optional<int> status_of(const std::string& path, const std::string& state) const {
        const std::lock_guard lock(mutex_);
        const auto known = trials_.find(path);
        if (state.empty() || known == trials_.end() || known->second.state != state)
            return std::nullopt;
        return known->second.status;
    }
    void add(const std::string& path, const std::string& state, int status) {
        const std::lock_guard lock(mutex_);
        trials_[path] = {state, status};
    }

private:
    struct Ended {
        std::string state;
        int status;
    };

    mutable std::mutex mutex_;
    std::map<std::string, Ended> trials_;
};

}  // namespace

std::optional<int> try_file(const std::string& path) {
    static TriedFiles tried;
    const auto state = pipeline::state_of({path});
    if (const auto known = tried.status_of(path, state)) return known;
    const auto result = do_trial(Trial::file, {path});
    if (result.start_error != 0) return std::nullopt;
    if (result.status == 0 || io::tells_of_damage(result.status))
        tried.add(path, state, result.status);
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
