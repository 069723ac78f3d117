#include "pipeline/schedule/unit_queue.hpp"

#include <atomic>
#include <string>
#include <thread>

#include "comm/within_team.hpp"

namespace ventral::pipeline {

namespace {

/// Each team makes its own, which may fail on one node.
std::unique_ptr<comm::SharedMemory> shared_word(const comm::Communicator& world,
                                                comm::Communicator& team) {
    std::unique_ptr<comm::SharedMemory> word;
    comm::within_team(team, world, [&] { word = team.share(sizeof(std::uint64_t)); });
    return word;
}

}  // namespace

UnitQueue::UnitQueue(std::size_t count, comm::Communicator& world, TeamContext& context)
    : count_(count),
      context_(context),
      memory_(shared_word(world, context.team)),
      counter_(world.make_counter()),
      answering_(*counter_, world, context) {}

std::optional<std::size_t> UnitQueue::next() {
    const auto time = context_.time(Stage::wait);
    std::string item;
    if (context_.leads()) {
        const auto known = std::atomic_ref(answer()).exchange(nobody);
        item = std::to_string(known == nobody ? static_cast<std::uint64_t>(counter_->next())
                                              : known - first_answer);
    }
    return if_there(std::stoull(context_.team.broadcast(item, 0)));
}

std::optional<std::size_t> UnitQueue::ahead() {
    const std::atomic_ref word(answer());
    auto known = nobody;
    if (word.compare_exchange_strong(known, asking)) {
        try {
            known = first_answer + static_cast<std::uint64_t>(counter_->next());
        } catch (...) {
            word.store(nobody);
            throw;
        }
        word.store(known);
    }
    for (; known == asking; known = word.load()) std::this_thread::yield();
    return if_there(known - first_answer);
}

std::uint64_t& UnitQueue::answer() const { return memory_->as<std::uint64_t>().front(); }

std::optional<std::size_t> UnitQueue::if_there(std::uint64_t item) const {
    if (item >= count_) return std::nullopt;
    return item;
}

}  // namespace ventral::pipeline
