#include "pipeline/watch/hang_watch.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>

#include "support/ranks.hpp"

using namespace ventral;
using pipeline::HangWatch;
using pipeline::Stage;
using pipeline::StageClock;
using pipeline::Stillness;

namespace {

constexpr double step_s = 0.002;
constexpr double soon_s = 0.02;

/// What the first call of `HangRules::end` is told.
class Told {
public:
    std::function<void(double, std::string_view)> end() {
        return [this](double seconds, std::string_view stage) {
            if (!is_told_.exchange(true)) promise_.set_value({seconds, std::string(stage)});
        };
    }
    std::pair<double, std::string> wait() { return promise_.get_future().get(); }
    bool is_told() const { return is_told_; }

private:
    std::atomic<bool> is_told_ = false;
    std::promise<std::pair<double, std::string>> promise_;
};

bool never() { return false; }

}  // namespace

TEST_CASE("stillness lasts as long as the number stays the same") {
    Stillness stillness;
    CHECK(stillness.look(7, 2) == 0);
    CHECK(stillness.look(7, 2) == 2);
    CHECK(stillness.look(7, 1.5) == 3.5);
    CHECK(stillness.look(8, 2) == 0);
    CHECK(stillness.look(8, 2) == 2);
    stillness.forget();
    CHECK(stillness.look(8, 2) == 2);
}

TEST_CASE("a unit may stand still for longer the more stimuli it has") {
    CHECK(pipeline::default_unit_timeout(1000) == 1810);    // 10 × 10⁹ operations
    CHECK(pipeline::default_unit_timeout(10000) == 11800);  // 10 × 10¹²
    CHECK(pipeline::default_unit_timeout(1000, 3) == 5410);
    CHECK(pipeline::default_unit_timeout(0) == 86400);
}

TEST_CASE("a unit in which nothing moves is ended, and its stage is told") {
    const auto serial = comm::make_serial();
    const core::Workers workers(1);
    StageClock clock;
    const StageClock::Timed extracting(&clock, Stage::extract);
    Told told;
    HangWatch watch({step_s, never, told.end()}, *serial, workers, clock);
    watch.begin(soon_s);
    const auto [seconds, stage] = told.wait();
    CHECK(seconds >= soon_s * 0.999);
    CHECK(stage == "extract");
}

TEST_CASE("nobody is ended outside of units, or when the process leaves anyway") {
    const auto serial = comm::make_serial();
    const core::Workers workers(1);
    const StageClock clock;
    Told told;
    std::promise<void> asked;
    int times = 0;
    const auto is_leaving = [&] {
        if (++times == 50) asked.set_value();  // five times the limit
        return true;
    };
    HangWatch leaving({step_s, is_leaving, told.end()}, *serial, workers, clock);
    HangWatch idle({step_s, never, told.end()}, *serial, workers, clock);
    leaving.begin(soon_s);
    asked.get_future().get();
    CHECK_FALSE(told.is_told());
}

TEST_CASE("what has its own limit of time is not ended for it, what follows is") {
    const auto serial = comm::make_serial();
    const core::Workers workers(1);
    const StageClock clock;
    Told told;
    std::promise<void> looked;
    int looks = 0;
    const auto count_looks = [&] {
        if (++looks == 50) looked.set_value();  // five times the limit
        return false;
    };
    HangWatch watch({step_s, count_looks, told.end()}, *serial, workers, clock);
    watch.excuse(3600);
    watch.begin(soon_s);
    looked.get_future().get();
    CHECK_FALSE(told.is_told());
    watch.excuse(0);
    CHECK(told.wait().first >= soon_s * 0.999);
}

TEST_CASE("what other ranks and the workers do is progress") {
    test::on_ranks([](comm::Communicator& world) {
        core::Workers workers(1);
        const StageClock clock;
        HangWatch watch({step_s, never, {}}, world, workers, clock);
        workers.parallel_for(3, [](std::size_t) {});
        watch.got_on();
        const auto ranks = static_cast<std::uint64_t>(world.size());
        watch.exchange_steps();
        world.barrier();
        CHECK(watch.exchange_steps() == 4 * ranks);
    });
}
