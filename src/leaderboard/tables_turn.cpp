#include "leaderboard/tables_turn.hpp"

#include <thread>

#include "io/disk/file_lock.hpp"
#include "io/journal/read_journal.hpp"
#include "io/out_folder.hpp"

namespace ventral::leaderboard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_writes = 3;
constexpr std::chrono::milliseconds between_tries(20);

bool lock_within(std::chrono::milliseconds longest, const io::Descriptor& file) {
    const auto end = Clock::now() + longest;
    for (;;) {
        const auto answer = io::try_lock(file, io::LockKind::exclusive);
        if (answer != io::LockAnswer::taken_by_another || Clock::now() >= end)
            return answer == io::LockAnswer::held;
        std::this_thread::sleep_for(between_tries);
    }
}

}  // namespace

void write_in_turn(const std::string& out_folder, std::chrono::milliseconds longest,
                   const std::function<void()>& write) {
    const io::Descriptor file(out_folder + "/tables.lock", O_RDWR | O_CREAT);
    const bool is_locked = lock_within(longest, file);
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
