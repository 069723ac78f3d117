#include "leaderboard/tables_turn.hpp"

#include <cerrno>
#include <thread>

#include <sys/file.h>

#include "io/descriptor.hpp"
#include "io/journal.hpp"
#include "io/out_folder.hpp"

namespace ventral::leaderboard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_writes = 3;
constexpr std::chrono::milliseconds between_tries(20);

/// The lock of a file, or none.
class TablesLock {
public:
    TablesLock(const std::string& path, std::chrono::milliseconds longest)
        : file_(path, O_RDWR | O_CREAT) {
        const auto end = Clock::now() + longest;
        while (file_) {
            is_held_ = flock(file_.id(), LOCK_EX | LOCK_NB) == 0;
            if (is_held_ || errno != EWOULDBLOCK || Clock::now() >= end) return;
            std::this_thread::sleep_for(between_tries);
        }
    }

    bool is_held() const { return is_held_; }

private:
    io::Descriptor file_;
    bool is_held_ = false;
};

}  // namespace

void write_in_turn(const std::string& out_folder, std::chrono::milliseconds longest,
                   const std::function<void()>& write) {
    const TablesLock lock(out_folder + "/tables.lock", longest);
    const auto start = Clock::now();
    for (int writes = 1;; ++writes) {
        const auto before = io::segment_sizes(io::journal_folder(out_folder));
        write();
        const bool was_alone = lock.is_held() && Clock::now() - start < longest_wait_when_stopping;
        if (was_alone || writes == most_writes ||
            io::segment_sizes(io::journal_folder(out_folder)) == before)
            return;
    }
}

}  // namespace ventral::leaderboard
