#include "support/thread_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ventral::test {
namespace {

/// Whose turn it is: exactly one rank that has not ended runs.
class Turns {
public:
    explicit Turns(int size) : ended_(static_cast<std::size_t>(size), false) {}

    void wait_for(int rank) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return current_ == rank; });
    }

    /// Lets every other rank run before `rank` runs again.
    void pass(int rank) {
        hand_on(rank);
        wait_for(rank);
    }

    void end(int rank, const std::exception_ptr& failure) {
        if (failure && !failure_) failure_ = failure;
        ended_[static_cast<std::size_t>(rank)] = true;
        hand_on(rank);
    }

    bool has_ended(int rank) const { return ended_[static_cast<std::size_t>(rank)]; }
    std::exception_ptr failure() const { return failure_; }

private:
    void hand_on(int rank) {
        const std::lock_guard lock(mutex_);
        const auto size = static_cast<int>(ended_.size());
        for (int step = 1; step <= size; ++step) {
            current_ = (rank + step) % size;
            if (!has_ended(current_)) break;
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    int current_ = 0;
    std::vector<bool> ended_;
    std::exception_ptr failure_;
};

/// What the members of one group share. Only the rank whose turn it is touches it.
struct Group {
    explicit Group(std::vector<int> world_ranks)
        : members(std::move(world_ranks)), words(members.size()), mailboxes(members.size()) {}

    std::vector<int> members;
    int waiting = 0;
    int round = 0;
    std::vector<std::string> words;
    std::vector<std::map<int, std::deque<comm::Message>>> mailboxes;
    std::map<int, std::shared_ptr<void>> made;  // by the first to ask, for all
};

struct Page {
    alignas(4096) std::byte bytes[4096] = {};
};

class CommonMemory final : public comm::SharedMemory {
public:
    CommonMemory(std::shared_ptr<std::vector<Page>> pages, std::size_t size)
        : pages_(std::move(pages)), size_(size) {}
    std::span<std::byte> bytes() override {
        return std::as_writable_bytes(std::span(*pages_)).first(size_);
    }

private:
    std::shared_ptr<std::vector<Page>> pages_;
    std::size_t size_;
};

class CommonCounter final : public comm::Counter {
public:
    explicit CommonCounter(std::shared_ptr<std::int64_t> value) : value_(std::move(value)) {}
    std::int64_t next() override { return (*value_)++; }

private:
    std::shared_ptr<std::int64_t> value_;
};

template <typename T>
std::string as_bytes(std::span<T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class ThreadRank final : public comm::Communicator {
public:
    ThreadRank(Turns& turns, std::shared_ptr<Group> group, int rank)
        : turns_(turns), group_(std::move(group)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(group_->members.size()); }

    void barrier() override {
        const int round = group_->round;
        if (++group_->waiting == size()) {
            group_->waiting = 0;
            ++group_->round;
        }
        while (group_->round == round) {
            if (std::any_of(group_->members.begin(), group_->members.end(),
                            [&](int member) { return turns_.has_ended(member); }))
                throw std::runtime_error("another rank has left the test");
            turns_.pass(world_rank());
        }
    }

    void sum(std::span<std::int64_t> counts) override {
        reduce(counts, [](std::int64_t left, std::int64_t right) { return left + right; });
    }

    void bit_or(std::span<std::uint64_t> words) override {
        reduce(words, [](std::uint64_t left, std::uint64_t right) { return left | right; });
    }

    std::vector<std::string> all_gather(const std::string& message) override {
        group_->words[static_cast<std::size_t>(rank_)] = message;
        barrier();
        auto all = group_->words;
        barrier();
        return all;
    }

    std::string broadcast(const std::string& message, int root) override {
        return all_gather(rank_ == root ? message : "").at(static_cast<std::size_t>(root));
    }

    void send(int to, int tag, std::string bytes) override {
        auto& mailbox = group_->mailboxes.at(static_cast<std::size_t>(to));
        mailbox[tag].push_back({rank_, std::move(bytes)});
    }

    std::optional<comm::Message> try_receive(int tag) override {
        auto& arrived = group_->mailboxes[static_cast<std::size_t>(rank_)][tag];
        // Whoever asks again and again must let the others come to send.
        if (arrived.empty()) turns_.pass(world_rank());
        if (arrived.empty()) return std::nullopt;
        auto message = std::move(arrived.front());
        arrived.pop_front();
        return message;
    }

    std::unique_ptr<Communicator> split_by_node() override { return split(0); }

    std::unique_ptr<Communicator> split(int color) override {
        const auto colors = all_gather(std::to_string(color));
        std::vector<int> members;
        int rank = 0;
        for (int i = 0; i < size(); ++i) {
            if (colors[static_cast<std::size_t>(i)] != std::to_string(color)) continue;
            if (i == rank_) rank = static_cast<int>(members.size());
            members.push_back(group_->members[static_cast<std::size_t>(i)]);
        }
        auto part = made_once<Group>(color, [&] { return std::make_shared<Group>(members); });
        return std::make_unique<ThreadRank>(turns_, part, rank);
    }

    std::unique_ptr<comm::SharedMemory> share(std::size_t size) override {
        auto pages = made_once<std::vector<Page>>(
            0, [&] { return std::make_shared<std::vector<Page>>(size / sizeof(Page) + 1); });
        return std::make_unique<CommonMemory>(pages, size);
    }

    std::unique_ptr<comm::Counter> make_counter() override {
        auto value = made_once<std::int64_t>(0, [] { return std::make_shared<std::int64_t>(0); });
        return std::make_unique<CommonCounter>(value);
    }

private:
    int world_rank() const { return group_->members[static_cast<std::size_t>(rank_)]; }

    template <typename T, typename Operation>
    void reduce(std::span<T> values, const Operation& operation) {
        const auto terms = all_gather(as_bytes(values));
        std::fill(values.begin(), values.end(), T{});
        for (const auto& term : terms) {
            std::vector<T> addends(values.size());
            if (!addends.empty()) std::memcpy(addends.data(), term.data(), term.size());
            std::transform(values.begin(), values.end(), addends.begin(), values.begin(),
                           operation);
        }
    }

    /// One object for all members that give the same `key`. Collective.
    template <typename T, typename Make>
    std::shared_ptr<T> made_once(int key, const Make& make) {
        barrier();
        auto& object = group_->made[key];
        if (!object) object = make();
        auto common = std::static_pointer_cast<T>(object);
        barrier();
        group_->made.clear();
        return common;
    }

    Turns& turns_;
    std::shared_ptr<Group> group_;
    int rank_;
};

}  // namespace

void run_on_threads(int size, const std::function<void(comm::Communicator&)>& body) {
    Turns turns(size);
    std::vector<int> members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), 0);
    const auto world = std::make_shared<Group>(members);
    std::vector<std::thread> threads;
    threads.reserve(members.size());
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&turns, &world, &body, rank] {
            turns.wait_for(rank);
            std::exception_ptr failure;
            try {
                ThreadRank comm(turns, world, rank);
                body(comm);
            } catch (...) {
                failure = std::current_exception();
            }
            turns.end(rank, failure);
        });
    }
    for (auto& thread : threads) thread.join();
    if (turns.failure()) std::rethrow_exception(turns.failure());
}

}  // namespace ventral::test
