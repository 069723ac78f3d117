#include "pipeline/watch/watched_communicator.hpp"

#include <utility>

namespace ventral::pipeline {

void WatchedCommunicator::barrier() {
    const auto time = waiting();
    group_.barrier();
}

void WatchedCommunicator::sum(std::span<std::int64_t> counts) {
    const auto time = waiting();
    group_.sum(counts);
}

void WatchedCommunicator::bit_or(std::span<std::uint64_t> words) {
    const auto time = waiting();
    group_.bit_or(words);
}

std::vector<std::string> WatchedCommunicator::all_gather(const std::string& message) {
    const auto time = waiting();
    return group_.all_gather(message);
}

std::string WatchedCommunicator::broadcast(const std::string& message, int root) {
    const auto time = waiting();
    return group_.broadcast(message, root);
}

void WatchedCommunicator::send(int to, int tag, std::string bytes) {
    const auto time = waiting();
    group_.send(to, tag, std::move(bytes));
}

std::optional<comm::Message> WatchedCommunicator::try_receive(int tag) {
    const auto time = waiting();
    return group_.try_receive(tag);
}

std::unique_ptr<comm::Communicator> WatchedCommunicator::split_by_node() {
    const auto time = waiting();
    return group_.split_by_node();
}

std::unique_ptr<comm::Communicator> WatchedCommunicator::split(int color) {
    const auto time = waiting();
    return group_.split(color);
}

std::unique_ptr<comm::SharedMemory> WatchedCommunicator::share(std::size_t size) {
    const auto time = waiting();
    return group_.share(size);
}

std::unique_ptr<comm::Counter> WatchedCommunicator::make_counter() {
    const auto time = waiting();
    return group_.make_counter();
}

}  // namespace ventral::pipeline
