#include "first_rank.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include "comm/from_first_rank.hpp"
#include "exit_codes.hpp"
#include "process.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

constexpr int done_tag = 1;
constexpr std::chrono::milliseconds between_looks(5);

/// A collective call would keep the processor busy.
void sleep_until_done(comm::Communicator& world) {
    while (!world.try_receive(done_tag)) std::this_thread::sleep_for(between_looks);
}

}  // namespace

int on_first_rank(comm::Communicator& world, const std::function<int(std::size_t ranks)>& work) {
    const auto node = world.split_by_node();
    const bool is_first = world.rank() == 0;
    const auto processors = processors_of(*node);
    if (is_first && world.size() > 1) bind_to(processors);
    int code = exit_done;
    std::exception_ptr failure;
    if (is_first) {
        try {
            code = work(static_cast<std::size_t>(node->size()));
        } catch (...) {
            failure = std::current_exception();
        }
        for (int rank = 1; rank < world.size(); ++rank) world.send(rank, done_tag, "");
    } else {
        sleep_until_done(world);
    }
    return comm::from_first_rank<int>(world, [&] {
        if (failure) std::rethrow_exception(failure);
        return code;
    });
}

}  // namespace ventral::jobs
