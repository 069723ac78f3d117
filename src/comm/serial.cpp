#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "comm/communicator.hpp"
#include "core/large_pages.hpp"

namespace ventral::comm {
namespace {

class OwnMemory final : public SharedMemory {
public:
    explicit OwnMemory(std::size_t size)
        : mapped_(core::map_zeros(std::max<std::size_t>(size, 1))), bytes_(mapped_.first(size)) {
        // Sums are read before they are written: a page would be given twice, and all threads be
        // interrupted for it.
        if (size <= core::most_populated) core::populate(mapped_);
    }
    ~OwnMemory() override { core::unmap(mapped_); }
    OwnMemory(const OwnMemory&) = delete;
    OwnMemory& operator=(const OwnMemory&) = delete;

    std::span<std::byte> bytes() override { return bytes_; }

private:
    std::span<std::byte> mapped_;
    std::span<std::byte> bytes_;
};

class OwnCounter final : public Counter {
public:
    std::int64_t next() override { return value_++; }

private:
    std::int64_t value_ = 0;
};

class Serial final : public Communicator {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void barrier() override {}
    void sum(std::span<std::int64_t>) override {}
    void bit_or(std::span<std::uint64_t>) override {}
    std::vector<std::string> all_gather(const std::string& message) override { return {message}; }
    std::string broadcast(const std::string& message, int) override { return message; }

    void send(int, int tag, std::string bytes) override {
        messages_[tag].push_back({0, std::move(bytes)});
    }

    std::optional<Message> try_receive(int tag) override {
        auto& waiting = messages_[tag];
        if (waiting.empty()) return std::nullopt;
        auto message = std::move(waiting.front());
        waiting.pop_front();
        return message;
    }

    std::unique_ptr<Communicator> split_by_node() override { return make_serial(); }
    std::unique_ptr<Communicator> split(int) override { return make_serial(); }
    std::unique_ptr<SharedMemory> share(std::size_t size) override {
        return std::make_unique<OwnMemory>(size);
    }
    std::unique_ptr<Counter> make_counter() override { return std::make_unique<OwnCounter>(); }

private:
    std::map<int, std::deque<Message>> messages_;
};

}  // namespace

std::unique_ptr<Communicator> make_serial() { return std::make_unique<Serial>(); }

}  // namespace ventral::comm
