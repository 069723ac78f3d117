#include "leaderboard/tables_turn.hpp"

#include <atomic>
#include <future>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"
#include "leaderboard/records.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using leaderboard::write_in_turn;

namespace {

constexpr std::chrono::milliseconds at_once(0);

/// A folder whose tables are the number of records that they were made of.
struct Run {
    Run() { record("first"); }
    void record(const std::string& key) const {
        test::write_journal(out, key, {test::scored(key, "m", key)});
    }
    std::size_t read() const { return leaderboard::read_records(out).records.size(); }

    test::TemporaryFolder folder;
    std::string out = folder.path().string();
};

}  // namespace

TEST_CASE("tables are written once, whatever else is recorded meanwhile") {
    const Run run;
    int writes = 0;
    write_in_turn(run.out, at_once, [&] { run.record("more" + std::to_string(++writes)); });
    CHECK(writes == 1);
}

TEST_CASE("a run that cannot wait for another's tables leaves none without what is recorded") {
    const Run run;
    std::size_t tables = 0;
    int writes = 0;
    write_in_turn(run.out, at_once, [&] {
        write_in_turn(run.out, at_once, [&] {
            const auto read = run.read();
            if (++writes == 1) run.record("of the other");  // whose tables are written before these
            tables = read;
        });
    });
    CHECK(writes == 2);
    CHECK(tables == 2);
}

TEST_CASE("where everybody records all the time it ends all the same") {
    const Run run;
    int writes = 0;
    write_in_turn(run.out, at_once, [&] {
        write_in_turn(run.out, at_once, [&] { run.record("more" + std::to_string(++writes)); });
    });
    CHECK(writes == 3);
}

TEST_CASE("a run waits for its turn") {
    const Run run;
    std::promise<void> begun;
    std::atomic<bool> is_written = false;
    std::thread other([&] {
        write_in_turn(run.out, at_once, [&] {
            begun.set_value();
            run.record("of the other");
            is_written = true;
        });
    });
    begun.get_future().wait();
    write_in_turn(run.out, leaderboard::longest_wait, [&] { CHECK(is_written); });
    other.join();
}

TEST_CASE("a run that was asked to stop does not wait for its turn for long") {
    const Run run;
    std::promise<void> begun, done;
    std::thread other([&] {
        write_in_turn(run.out, at_once, [&] {
            begun.set_value();
            done.get_future().wait();
        });
    });
    begun.get_future().wait();
    const auto start = std::chrono::steady_clock::now();
    int writes = 0;
    write_in_turn(
        run.out, leaderboard::longest_wait, [&] { ++writes; }, [] { return true; });
    CHECK(writes == 1);
    CHECK(std::chrono::steady_clock::now() - start < leaderboard::longest_wait / 2);
    done.set_value();
    other.join();
}

TEST_CASE("a folder that takes no lock has its tables all the same") {
    int writes = 0;
    write_in_turn("/nowhere", leaderboard::longest_wait, [&] { ++writes; });
    CHECK(writes == 1);
}
