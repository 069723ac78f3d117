#include "comm/answered_counter.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "comm/mpi_session.hpp"

namespace ventral::comm {
namespace {

enum Tag : int { ask, tell, leave };

/// Longer than it takes to answer, shorter than anything that is counted.
void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

class AnsweredCounter final : public Counter {
public:
    explicit AnsweredCounter(std::unique_ptr<Communicator> group) : group_(std::move(group)) {}

    /// Rank 0 stays until nobody can ask any more.
    ~AnsweredCounter() override {
        abort_if_alone();
        if (group_->rank() != 0)
            group_->send(0, leave, "");
        else
            answer_until_all_leave();
    }
    AnsweredCounter(const AnsweredCounter&) = delete;
    AnsweredCounter& operator=(const AnsweredCounter&) = delete;

    std::int64_t next() override {
        if (group_->rank() == 0) {
            answer();  // they have waited longer
            return value_++;
        }
        group_->send(0, ask, "");
        for (;; nap())
            if (const auto number = group_->try_receive(tell)) return std::stoll(number->bytes);
    }

    void answer() override {
        if (group_->rank() != 0) return;
        while (const auto asked = group_->try_receive(ask))
            group_->send(asked->from, tell, std::to_string(value_++));
    }

private:
    void answer_until_all_leave() {
        for (int still_here = group_->size() - 1; still_here > 0; nap()) {
            answer();
            while (group_->try_receive(leave)) --still_here;
        }
    }

    std::unique_ptr<Communicator> group_;
    std::int64_t value_ = 0;
};

}  // namespace

std::unique_ptr<Counter> make_answered_counter(std::unique_ptr<Communicator> group) {
    return std::make_unique<AnsweredCounter>(std::move(group));
}

}  // namespace ventral::comm
