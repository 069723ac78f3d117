#include "pipeline/journal/unit_history.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "core/where_and_when.hpp"

using namespace ventral;
using pipeline::LeftTrace;
using pipeline::UnitHistory;

namespace {

io::JournalSource each_of(const std::vector<io::JournalLine>& lines) {
    return [&lines](const io::TakeLine& take) { std::for_each(lines.begin(), lines.end(), take); };
}

/// A journal written by hand; each job has a segment of its own.
class Jobs {
public:
    /// A new job begins the unit; `ranks` in its team.
    Jobs& begin(int ranks = 1) { return begin(ranks, false); }
    Jobs& begin_alone(int ranks = 1) { return begin(ranks, true); }

    Jobs& line(const nlohmann::ordered_json& json) {
        lines_.push_back({json.dump(), segment(), lines_.size() + 1});
        return *this;
    }
    Jobs& progress() { return line({{"kind", "folds"}, {"key", "a score"}}); }
    Jobs& end(const char* how) {
        return line({{"kind", "ended"}, {"unit", "unit"}, {"how", how}, {"time", time()}});
    }
    /// The words that the ranks of the last job have left.
    Jobs& leave(const pipeline::TraceWords& words, const pipeline::TraceWords& elsewhere = {}) {
        traces_.push_back({"", segment(), words, false, elsewhere});
        return *this;
    }
    Jobs& still_work() {
        traces_.push_back({"", segment(), {}, true, {}, true});
        return *this;
    }

    pipeline::UnitHistories histories(double memory_bound = 0) const {
        return pipeline::unit_histories(each_of(lines_), traces_, {}, memory_bound);
    }
    UnitHistory history(double memory_bound = 0) const {
        const auto all = histories(memory_bound);
        return all.empty() ? UnitHistory{} : all.at("unit");
    }
    const std::vector<LeftTrace>& traces() const { return traces_; }

private:
    Jobs& begin(int ranks, bool alone) {
        ++jobs_;
        return line({{"kind", "started"},
                     {"unit", "unit"},
                     {"attempt", jobs_},
                     {"time", time()},
                     {"host", "node7"},
                     {"process", 42},
                     {"ranks", ranks},
                     {"alone", alone}});
    }
    /// Names that sort otherwise than the jobs followed each other.
    std::string segment() const { return std::to_string(1000 - jobs_) + ".journal"; }
    std::string time() const { return "2026-01-01T00:00:" + std::to_string(1000 + lines_.size()); }

    std::vector<io::JournalLine> lines_;
    std::vector<LeftTrace> traces_;
    int jobs_ = 0;
};

const pipeline::TraceWords fault = {"crashed SIGSEGV"};

using Ceilings = pipeline::TraceWords;

/// After so many jobs of a team whose ranks left these words, and were at these ceilings.
pipeline::UnitHistories after_deaths(int jobs, const pipeline::TraceWords& words,
                                     const Ceilings& ceilings) {
    std::vector<LeftTrace> traces;
    for (int job = 0; job < jobs; ++job)
        traces.push_back({"", std::to_string(job) + ".journal", words, false, ceilings});
    return pipeline::unit_histories(each_of({}), traces);
}

/// That a rank of the segment crashed at a ceiling, alone, as a later start has written it down.
io::JournalLine line_of_trace(const std::string& segment) {
    const nlohmann::ordered_json json = {{"kind", "trace"},
                                         {"segment", segment},
                                         {"words", fault},
                                         {"ceilings", Ceilings{"alone key node7"}},
                                         {"time", "2026-01-01T00:00:00"}};
    return {json.dump(), "later.journal", 1};
}

}  // namespace

TEST_CASE("a unit that ends in order has nothing against it") {
    CHECK(Jobs().begin().end("done").begin().end("interrupted").history().deaths.empty());
    CHECK(Jobs().begin().end("done").history().attempts == 1);
}

TEST_CASE("a unit that another run is at is known, with where it is") {
    auto jobs = Jobs().begin();
    CHECK(jobs.history().in_work.empty());  // that run has died
    jobs.still_work();
    CHECK(jobs.history().in_work == "host node7, process 42");
    CHECK_FALSE(jobs.history().alone);
    CHECK(Jobs(jobs).end("done").history().in_work.empty());
}

TEST_CASE("two deaths by a fault have a unit run alone, one has not") {
    auto jobs = Jobs().begin().leave(fault);
    CHECK_FALSE(jobs.history().alone);
    jobs.begin().leave(fault);
    CHECK(jobs.history().alone);
    CHECK_FALSE(jobs.history().left_out);
    CHECK(jobs.history().attempts == 2);
    CHECK(jobs.history().deaths ==
          "2 times since its last progress (2 × SIGSEGV), last on host node7");
}

TEST_CASE(
    "a unit that has stood still once is run alone, and left out as timed out if it does again") {
    const pipeline::TraceWords still = {"stopped", "timeout 1800 s in extract"};
    auto jobs = Jobs().begin(2).leave(still);
    CHECK(jobs.history().alone);
    CHECK_FALSE(jobs.history().left_out);
    CHECK_THAT(jobs.history().deaths,
               Catch::EndsWith("(1 × no progress for 1800 s in extract), last on host node7, rank "
                               "1 of its node"));
    CHECK_FALSE(Jobs(jobs).begin_alone(2).end("interrupted").history().left_out);
    jobs.begin_alone(2).leave(still);
    CHECK(jobs.history().left_out);
    CHECK(jobs.history().death == core::FailureClass::timeout);
    CHECK(Jobs().begin_alone().leave(fault).history().death == core::FailureClass::crashed);
}

TEST_CASE("a unit that has lacked memory is left out as such while a rank may take no more") {
    const pipeline::TraceWords want = {"lacked 1000000000 SIGSEGV"};
    auto jobs = Jobs().begin(1).leave(want);
    CHECK(jobs.history(1e9).alone);
    CHECK_FALSE(jobs.history(1e9).left_out);
    jobs.begin_alone().leave(want);
    CHECK(jobs.history(0.9e9).left_out);
    CHECK(jobs.history(1.001e9).left_out);  // no more than starts differ by
    CHECK(jobs.history(1e9).death == core::FailureClass::out_of_memory);
    CHECK(jobs.history(1e9).deaths ==
          "2 times since its last progress (2 × SIGSEGV for want of memory), last on host node7, "
          "alone");
    CHECK_THAT(why_left_out(jobs.history(1e9)), Catch::EndsWith("until a rank may take more"));
    const auto with_a_fault =
        Jobs().begin_alone(2).leave({"lacked 1000000000 SIGSEGV", "crashed SIGBUS"});
    CHECK_THAT(with_a_fault.history(2e9).deaths, Catch::Contains("1 × SIGBUS"));
    for (const double more : {1.01e9, 0.0}) {
        CHECK_FALSE(jobs.history(more).left_out);
        CHECK_FALSE(jobs.history(more).alone);
        CHECK(jobs.history(more).deaths.empty());
    }
}

TEST_CASE("of ranks that stand still the one that does not wait for another is to blame") {
    const auto jobs =
        Jobs().begin(3).leave({"timeout 9 s in wait", "timeout 9 s in fit", "timeout 9 s in wait"});
    CHECK_THAT(jobs.history().deaths, Catch::Contains("9 s in fit"));
    CHECK_THAT(jobs.history().deaths, Catch::EndsWith("rank 1 of its node"));
    CHECK(Jobs().begin(2).leave({"timeout 9 s in wait", "stopped"}).history().alone);
    CHECK_THAT(Jobs().begin(2).leave({"timeout 9 s in fit", "crashed SIGBUS"}).history().deaths,
               Catch::Contains("SIGBUS"));
}

TEST_CASE("of deaths that nothing explains it takes three") {
    auto jobs = Jobs().begin().begin();
    CHECK_FALSE(jobs.history().alone);
    jobs.begin();
    CHECK(jobs.history().alone);
    CHECK_THAT(jobs.history().deaths, Catch::Contains("3 × killed without a trace"));
    CHECK(Jobs().begin().leave(fault).begin().begin().history().alone);
}

TEST_CASE("a hundred kills do nothing to a unit that gets on in between") {
    Jobs jobs;
    for (int kill = 0; kill < 100; ++kill) {
        jobs.begin().progress();
        CHECK_FALSE(jobs.history().alone);
    }
    CHECK(jobs.history().attempts == 100);
    CHECK_THAT(jobs.history().deaths, Catch::StartsWith("1 time "));
    for (int kill = 0; kill < 100; ++kill)
        CHECK_FALSE(jobs.begin_alone().progress().history().left_out);
}

TEST_CASE("any line of progress counts, the end of another unit does not") {
    for (const char* kind : {"folds", "score", "failed", "progress"}) {
        auto jobs = Jobs().begin().begin().begin().line({{"kind", kind}, {"key", "k"}});
        CHECK_THAT(jobs.history().deaths, Catch::StartsWith("1 time "));
    }
    auto jobs = Jobs().begin().begin().begin().line(
        {{"kind", "ended"}, {"unit", "another"}, {"how", "done"}, {"time", "z"}});
    CHECK_THAT(jobs.history().deaths, Catch::StartsWith("3 times "));
}

TEST_CASE("alone, one fault or three other deaths leave a unit out") {
    CHECK(Jobs().begin_alone().leave(fault).history().left_out);
    CHECK(Jobs().begin_alone().progress().leave(fault).history().left_out);
    CHECK_FALSE(Jobs().begin_alone().begin_alone().history().left_out);
    CHECK(Jobs().begin_alone().begin_alone().begin_alone().history().left_out);
    CHECK_FALSE(Jobs().begin_alone().begin_alone().begin_alone().progress().history().left_out);
    CHECK_THAT(Jobs().begin_alone().leave(fault).history().deaths, Catch::EndsWith("alone"));
    // Another run did not know of it.
    CHECK_FALSE(Jobs().begin_alone().leave(fault).begin_alone().end("done").history().left_out);
}

TEST_CASE("once recorded as crashed a unit has a new chance, alone") {
    auto jobs = Jobs().begin_alone().leave(fault);
    jobs.end("left out");
    CHECK(jobs.history().alone);
    CHECK_FALSE(jobs.history().left_out);
    CHECK(jobs.history().deaths.empty());
    CHECK(jobs.history().attempts == 1);
    jobs.begin_alone().end("done");
    CHECK_FALSE(jobs.history().alone);
}

TEST_CASE("a stop in order wipes deaths out, and a unit that ran alone stays alone") {
    auto jobs = Jobs().begin().begin().begin();
    REQUIRE(jobs.history().alone);
    jobs.begin_alone().end("interrupted");
    CHECK(jobs.history().deaths.empty());
    CHECK(jobs.history().alone);
}

TEST_CASE("what was asked to stop on all ranks, or excuses itself, has not died") {
    CHECK(Jobs().begin(2).leave({"stopped", "stopped"}).history().deaths.empty());
    CHECK(Jobs().begin(2).leave({"", "excused"}).history().deaths.empty());
    // The launcher asks the others when one was killed.
    CHECK_FALSE(Jobs().begin(2).leave({"stopped"}).history().deaths.empty());
    CHECK_FALSE(Jobs().begin(2).leave({"stopped", ""}).history().deaths.empty());
    CHECK_THAT(Jobs().begin(2).leave({"stopped", "crashed SIGBUS"}).history().deaths,
               Catch::EndsWith("(1 × SIGBUS), last on host node7, rank 1 of its node"));
}

TEST_CASE("a job that still works has not died") {
    CHECK(Jobs().begin().begin().begin().still_work().history().alone == false);
}

TEST_CASE("ceilings that ranks were at when a job died are counted as units are") {
    const Ceilings at = {"beside first node7", "beside second node7"};
    CHECK(after_deaths(2, {"crashed SIGSEGV", ""}, at).at("first").alone);
    CHECK(after_deaths(2, {"crashed SIGSEGV", ""}, at).count("second") == 0);
    CHECK(after_deaths(3, {"stopped", ""}, at).at("second").alone);
    CHECK(after_deaths(3, {"stopped", ""}, at).at("first").deaths.empty());
    CHECK_FALSE(after_deaths(2, {"", ""}, at).at("second").alone);
    CHECK(after_deaths(9, {"", "excused"}, at).empty());
    CHECK(after_deaths(2, {"crashed SIGSEGV", "excused"}, at).at("first").alone);
    CHECK(after_deaths(2, {"crashed SIGSEGV", "excused"}, at).count("second") == 0);
    CHECK(after_deaths(9, {"crashed SIGSEGV"}, {""}).empty());
    const auto crashed = after_deaths(1, {"crashed SIGSEGV"}, {"alone first node7"}).at("first");
    CHECK(crashed.left_out);
    CHECK(crashed.deaths ==
          "1 time since its last progress (1 × SIGSEGV), last on host node7, alone");
}

TEST_CASE("a ceiling that has stood still once is run alone, and left out if it does again") {
    const Ceilings at = {"beside first node7", "beside second node7"};
    const pipeline::TraceWords still = {"timeout 1800 s in ceilings", ""};
    CHECK(after_deaths(1, still, at).at("first").alone);
    CHECK_FALSE(after_deaths(1, still, at).at("first").left_out);
    CHECK(after_deaths(1, still, at).count("second") == 0);
    const auto again = after_deaths(1, still, {"alone first node7"}).at("first");
    CHECK(again.left_out);
    CHECK(again.death == core::FailureClass::timeout);
}

TEST_CASE("a ceiling's deaths are counted once, from the journal or from traces") {
    const auto line = line_of_trace("9.journal");
    const LeftTrace trace{"", "9.journal", fault, false, {"alone key node7"}};
    CHECK_THAT(pipeline::unit_histories(each_of({line}), {trace}).at("key").deaths,
               Catch::StartsWith("1 time "));
    LeftTrace live = trace;
    live.is_live = live.is_locked = true;
    CHECK(pipeline::unit_histories(each_of({}), {live}).empty());
}

TEST_CASE("where no lock tells, a run is dead that says so, or whose process has left this host") {
    const auto deaths_of = [](const std::string& host, std::int64_t process,
                              const pipeline::TraceWords& words) {
        const nlohmann::ordered_json started = {
            {"kind", "started"}, {"unit", "unit"},     {"attempt", 1}, {"time", "2026"},
            {"host", host},      {"process", process}, {"ranks", 1},   {"alone", false}};
        const std::vector<io::JournalLine> lines = {{started.dump(), "9.journal", 1}};
        const LeftTrace trace{"", "9.journal", words, true};
        return pipeline::unit_histories(each_of(lines), {trace}).at("unit").deaths;
    };
    const auto gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, nullptr, 0);
    CHECK(deaths_of(core::host_name(), getpid(), {}).empty());
    CHECK(deaths_of("node7", gone, {}).empty());
    CHECK_THAT(deaths_of(core::host_name(), gone, {}), Catch::Contains("killed without a trace"));
    CHECK_THAT(deaths_of("node7", 42, fault), Catch::Contains("SIGSEGV"));
}

TEST_CASE("a pardon gives a ceiling another chance, alone, but not for what came after it") {
    const auto line = line_of_trace("slurm7-r0.9.journal");
    const auto pardoned = [&](const std::string& since) {
        return pipeline::unit_histories(each_of({line}), {}, {true, since}).at("key");
    };
    CHECK(pipeline::unit_histories(each_of({line}), {}).at("key").left_out);
    CHECK_FALSE(pardoned("").left_out);
    CHECK(pardoned("").alone);
    CHECK_FALSE(pardoned("slurm8-r").left_out);
    CHECK(pardoned("slurm7-r").left_out);
}

TEST_CASE(
    "what ends a rank that worked ahead for a unit is that unit's fault, not the present one's") {
    const Ceilings next = {"", "beside next node7"};
    const auto after = [&](int jobs, const pipeline::TraceWords& words) {
        Jobs present;
        for (int job = 0; job < jobs; ++job) present.begin(2).leave(words, next);
        return present.histories();
    };
    for (const auto& words : {pipeline::TraceWords{"", "crashed SIGSEGV"},
                              pipeline::TraceWords{"stopped", "crashed SIGSEGV"}}) {
        CHECK(after(2, words).at("next").alone);
        CHECK_FALSE(after(2, words).at("next").left_out);
        CHECK(after(9, words).at("unit").deaths.empty());
    }
    const pipeline::TraceWords still = {"timeout 9 s in wait", "timeout 9 s in extract"};
    CHECK(after(1, still).at("next").alone);
    CHECK(after(1, still).at("unit").deaths.empty());
    // The present unit's own death is its own, and one that nothing explains may be either's.
    CHECK(after(2, {"crashed SIGSEGV", ""}).at("unit").alone);
    CHECK(after(2, {"crashed SIGSEGV", ""}).count("next") == 0);
    CHECK(after(3, {"stopped", ""}).at("unit").alone);
    CHECK(after(3, {"stopped", ""}).at("next").alone);
    // A run that is asked to stop has begun nothing of it.
    CHECK(after(1, {"stopped", "stopped"}).at("next").attempts == 0);
}

TEST_CASE("words that were taken over into the journal count as those in traces") {
    Jobs jobs;
    for (int i = 0; i < 2; ++i) {
        jobs.begin();
        const auto segment = jobs.leave(fault).traces().back().segment;
        jobs.line({{"kind", "trace"}, {"segment", segment}, {"words", fault}});
    }
    CHECK_THAT(jobs.history().deaths, Catch::Contains("2 × SIGSEGV"));
}

TEST_CASE("lines of version 0.1, and lines that are not understood, accuse nobody") {
    const auto old = nlohmann::ordered_json{{"kind", "started"}, {"unit", "unit"}};
    auto jobs = Jobs().line(old).line(old).line(old).line({{"kind", "ended"}});
    CHECK(jobs.history().attempts == 0);
}
