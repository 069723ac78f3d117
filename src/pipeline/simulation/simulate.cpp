#include "pipeline/simulation/simulate.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

#include "core/errors.hpp"
#include "core/portable_random.hpp"
#include "pipeline/plan/shards.hpp"
#include "pipeline/simulation/shared_disk.hpp"

namespace ventral::pipeline {
namespace {

enum class Phase { idle, starting, start_reading, reading, computing, writing, down, count };

struct Node {
    Phase phase = Phase::idle;
    double since = 0;  ///< of the phase
    std::size_t task = 0;
    double unit_since = 0;
    double waited = 0;      ///< for the disk, in this unit
    std::size_t epoch = 0;  ///< what was planned in an earlier one does not happen
    core::PortableRandom random;
};

struct Task {
    std::vector<std::size_t> units;
    std::size_t finished = 0;
    std::size_t interrupted = 0;  ///< times since it finished a unit
};

enum class Kind { phase_end, failure, repair, requeue };

struct Event {
    double time = 0;
    std::size_t number = 0;  ///< equal times: in the order they were planned in
    Kind kind = Kind::phase_end;
    std::size_t who = 0;  ///< node; of a requeue the task
    std::size_t epoch = 0;

    bool operator>(const Event& other) const {
        return std::tie(time, number) > std::tie(other.time, other.number);
    }
};

double speed_alone(const SimulatedArray& array) {
    return std::min(array.disk_bytes_per_second, array.node_bytes_per_second);
}

class Simulation {
public:
    Simulation(const std::vector<SimulatedUnit>& units, const SimulatedArray& array)
        : array_(array),
          disk_(array.disk_bytes_per_second, array.node_bytes_per_second),
          units_(units),
          left_(units.size()) {
        deal();
        meet_truth();
        for (std::size_t node = 0; node < array.nodes; ++node)
            nodes_.push_back({.random = core::PortableRandom(array.seed * 1000003 + 1 + node)});
    }

    ArrayOutcome run() {
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            plan_failure(node);
            idle_.insert(node);
        }
        hand_out();
        while (left_ > 0) step();
        for (std::size_t node = 0; node < nodes_.size(); ++node) enter(node, Phase::idle);
        return summary();
    }

private:
    void deal() {
        std::vector<double> costs;
        for (const auto& unit : units_) costs.push_back(seconds_alone(unit));
        std::vector<std::size_t> order(costs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return costs[a] > costs[b]; });
        const auto shards = deal_shards(costs, array_.shards);
        tasks_.resize(std::min(array_.shards, std::max<std::size_t>(units_.size(), 1)));
        for (const auto unit : order) tasks_[shards[unit]].units.push_back(unit);
        for (std::size_t task = 0; task < tasks_.size(); ++task) waiting_.insert(task);
    }

    /// What the units really take, of which the schedule knows nothing.
    void meet_truth() {
        core::PortableRandom random(array_.seed);
        for (auto& unit : units_) {
            unit.seconds *= random.uniform(1 - array_.cost_error, 1 + array_.cost_error);
            const bool fails = random.uniform() < array_.out_of_memory;
            const double share = random.uniform();
            if (fails) {
                unit.seconds *= share;
                unit.write_bytes = 0;
                ++outcome_.out_of_memory;
            }
            outcome_.work += seconds_alone(unit);
            outcome_.longest = std::max(outcome_.longest, seconds_alone(unit));
        }
    }

    double seconds_alone(const SimulatedUnit& unit) const {
        return unit.seconds + (unit.read_bytes + unit.write_bytes) / speed_alone(array_);
    }

    void step() {
        const auto transfer = disk_.next_end();
        if (transfer && (events_.empty() || *transfer <= events_.top().time)) {
            now_ = *transfer;
            end_transfer(disk_.end_next());
            return;
        }
        const Event event = events_.top();
        events_.pop();
        now_ = event.time;
        if (event.kind == Kind::requeue) {
            waiting_.insert(event.who);
            hand_out();
            return;
        }
        auto& node = nodes_[event.who];
        if (event.kind == Kind::failure) return fail(event.who);
        if (event.kind == Kind::repair) {
            plan_failure(event.who);
            return free(event.who);
        }
        if (event.epoch == node.epoch) next_phase(event.who);
    }

    void plan(Kind kind, double time, std::size_t who, std::size_t epoch = 0) {
        events_.push({time, planned_++, kind, who, epoch});
    }

    void plan_failure(std::size_t node) {
        if (array_.failures_per_node_hour > 0)
            plan(Kind::failure,
                 now_ + nodes_[node].random.exponential() * 3600 / array_.failures_per_node_hour,
                 node);
    }

    void free(std::size_t node) {
        enter(node, Phase::idle);
        idle_.insert(node);
        hand_out();
    }

    /// Nodes without work take the first of the tasks that wait.
    void hand_out() {
        while (!idle_.empty() && !waiting_.empty()) {
            const std::size_t node = *idle_.begin();
            idle_.erase(idle_.begin());
            nodes_[node].task = *waiting_.begin();
            waiting_.erase(waiting_.begin());
            compute(node, Phase::starting, array_.start_seconds);
        }
    }

    void enter(std::size_t number, Phase phase) {
        auto& node = nodes_[number];
        spent_[static_cast<std::size_t>(node.phase)] += now_ - node.since;
        node.phase = phase;
        node.since = now_;
    }

    void compute(std::size_t node, Phase phase, double seconds) {
        enter(node, phase);
        plan(Kind::phase_end, now_ + seconds, node, nodes_[node].epoch);
    }

    void transfer(std::size_t node, Phase phase, double bytes) {
        enter(node, phase);
        if (bytes == 0) return next_phase(node);
        nodes_[node].waited -= bytes / speed_alone(array_);
        disk_.begin(now_, node, bytes);
    }

    void end_transfer(std::size_t number) {
        auto& node = nodes_[number];
        node.waited += now_ - node.since;
        next_phase(number);
    }

    void next_phase(std::size_t number) {
        auto& task = tasks_[nodes_[number].task];
        const auto unit = [&]() -> const SimulatedUnit& {
            return units_[task.units[task.finished]];
        };
        switch (nodes_[number].phase) {
            case Phase::starting:
                return transfer(number, Phase::start_reading, array_.start_bytes);
            case Phase::start_reading:
                return next_unit(number);
            case Phase::reading:
                return compute(number, Phase::computing, unit().seconds);
            case Phase::computing:
                return transfer(number, Phase::writing, unit().write_bytes);
            case Phase::writing:
                ++task.finished;
                task.interrupted = 0;
                --left_;
                outcome_.waiting += std::max(0.0, nodes_[number].waited);  // but for rounding
                return next_unit(number);
            default:
                return;
        }
    }

    void next_unit(std::size_t number) {
        const auto& task = tasks_[nodes_[number].task];
        nodes_[number].unit_since = now_;
        nodes_[number].waited = 0;
        if (task.finished == task.units.size()) return free(number);
        transfer(number, Phase::reading, units_[task.units[task.finished]].read_bytes);
    }

    void fail(std::size_t number) {
        auto& node = nodes_[number];
        ++outcome_.failures;
        ++node.epoch;
        disk_.cancel(now_, number);
        if (node.phase == Phase::idle)
            idle_.erase(number);
        else
            interrupt_task(node);
        enter(number, Phase::down);
        plan(Kind::repair, now_ + array_.down_seconds, number);
    }

    void interrupt_task(const Node& node) {
        constexpr std::size_t hopeless = 1000;
        if (++tasks_[node.task].interrupted == hopeless)
            throw core::InputError("the simulated nodes fail so often that a unit never ends");
        plan(Kind::requeue, now_ + array_.requeue_seconds, node.task);
        if (node.phase == Phase::starting || node.phase == Phase::start_reading) return;
        outcome_.lost += now_ - node.unit_since;
        ++outcome_.repeated;
    }

    ArrayOutcome summary() {
        const auto spent = [&](Phase phase) { return spent_[static_cast<std::size_t>(phase)]; };
        outcome_.seconds = now_;
        outcome_.starting = spent(Phase::starting) + spent(Phase::start_reading);
        outcome_.down = spent(Phase::down);
        outcome_.idle = spent(Phase::idle);
        return outcome_;
    }

    SimulatedArray array_;
    SharedDisk disk_;
    std::vector<SimulatedUnit> units_;
    std::size_t left_;
    std::vector<Task> tasks_;
    std::vector<Node> nodes_;
    std::set<std::size_t> waiting_;  ///< tasks
    std::set<std::size_t> idle_;     ///< nodes
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::size_t planned_ = 0;
    double now_ = 0;
    std::array<double, static_cast<std::size_t>(Phase::count)> spent_{};
    ArrayOutcome outcome_;
};

}  // namespace

double resource_bound(const ArrayOutcome& outcome, std::size_t nodes) {
    return std::max(outcome.work / static_cast<double>(nodes), outcome.longest);
}

ArrayOutcome simulate_array(const std::vector<SimulatedUnit>& units, const SimulatedArray& array) {
    return Simulation(units, array).run();
}

}  // namespace ventral::pipeline
