#include "leaderboard/tables_turn.hpp"

#include <thread>

#include "core/log.hpp"
#include "io/disk/file_lock.hpp"
#include "io/journal/read_journal.hpp"
#include "io/out_folder.hpp"

namespace ventral::leaderboard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_writes = 3;
constexpr std::chrono::milliseconds between_tries(20);

constexpr std::chrono::seconds untold(2);

/// Whether it has got the lock, for which it waits until `is_over` says of the time that it is.
bool lock_until(const std::function<bool(Clock::duration waited)>& is_over,
                const io::Descriptor& file, const std::string& out_folder) {
    bool is_told = false;
    for (const auto start = Clock::now();;) {
        const auto answer = io::try_lock(file, io::LockKind::exclusive);
        const auto waited = Clock::now() - start;
        if (answer != io::LockAnswer::taken_by_another || is_over(waited))
            return answer == io::LockAnswer::held;
        if (!is_told && waited >= untold)
            core::log_info(out_folder +
                           ": waiting for another run or report, which holds tables.lock to write "
                           "the tables");
        is_told = is_told || waited >= untold;
        std::this_thread::sleep_for(between_tries);
    }
}

}  // namespace

void write_in_turn(const std::string& out_folder, std::chrono::milliseconds longest,
                   const std::function<void()>& write, const std::function<bool()>& in_haste) {
    const io::Descriptor file(out_folder + "/tables.lock", O_RDWR | O_CREAT);
    const auto is_over = [&](Clock::duration waited) {
        return waited >= longest || (waited >= longest_wait_when_stopping && in_haste());
    };
    const bool is_locked = lock_until(is_over, file, out_folder);
    const auto start = Clock::now();
    for (int writes = 1;; ++writes) {
        const auto before = io::segment_sizes(io::journal_folder(out_folder));
        write();
        const bool was_alone = is_locked && Clock::now() - start < longest_wait_when_stopping;
        if (was_alone || writes == most_writes ||
            io::segment_sizes(io::journal_folder(out_folder)) == before)
            return;
    }
}

}  // namespace ventral::leaderboard
