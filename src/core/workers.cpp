#include "core/workers.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ventral::core {
namespace {

/// How many `parallel_for` of this thread's stack are above the current task.
thread_local std::size_t nesting = 0;

/// Added to it by isolated work: more than tasks are ever nested.
constexpr std::size_t isolated_nesting = 1'000'000;

/// How long a thread looks for something to do before it sleeps, from which it takes longer to wake
/// than many a task takes. Others that want the core have it meanwhile.
constexpr std::chrono::microseconds patience{100};

/// One call of `parallel_for`; lives on the stack of its caller, who leaves last.
struct Batch {
    const std::function<void(std::size_t)>& task;
    std::size_t count;
    std::size_t depth;
    std::size_t started = 0;
    std::size_t ended = 0;
    std::size_t failed_index = 0;
    std::exception_ptr failure = nullptr;
    const std::thread::id caller = std::this_thread::get_id();
};

}  // namespace

struct Workers::Pool {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Batch*> open;  // batches with tasks that nobody has started
    bool ending = false;
    std::atomic<std::uint64_t> changes = 0;   // counted under the lock, read without it
    std::atomic<std::uint64_t> finished = 0;  // read without the lock
    const std::thread::id owner = std::this_thread::get_id();
    std::function<void()> interlude;  // of the owner, who alone may look at it
    std::vector<std::thread> threads;

    ~Pool() {
        {
            const std::lock_guard lock(mutex);
            ending = true;
            announce();
        }
        for (auto& thread : threads) thread.join();
    }

    using Lock = std::unique_lock<std::mutex>;

    void play_interlude() const {
        if (std::this_thread::get_id() == owner && interlude) interlude();
    }

    /// Under the lock: something has changed that a thread could wait for.
    void announce() {
        ++changes;
        changed.notify_all();
    }

    /// Whether something changes while a thread has the patience not to sleep.
    bool changes_soon(Lock& lock) {
        const auto before = changes.load();
        lock.unlock();
        const auto end = std::chrono::steady_clock::now() + patience;
        while (changes == before && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
        lock.lock();
        return changes != before;
    }

    /// Returns when something has changed, or perhaps has not.
    void wait(Lock& lock) {
        if (changes_soon(lock)) return;
        constexpr std::chrono::milliseconds between_interludes{10};
        if (std::this_thread::get_id() != owner || !interlude) return changed.wait(lock);
        if (changed.wait_for(lock, between_interludes) == std::cv_status::no_timeout) return;
        lock.unlock();
        interlude();
        lock.lock();
    }

    /// The newest open batch that is nested at least `depth` deep: what was begun is ended first.
    Batch* open_batch(std::size_t depth) {
        const auto found = std::find_if(open.rbegin(), open.rend(),
                                        [&](const Batch* batch) { return batch->depth >= depth; });
        return found == open.rend() ? nullptr : *found;
    }

    /// Runs the next task of `batch`, which must be open, without the lock.
    void run_one(Batch& batch, Lock& lock) {
        const auto index = batch.started++;
        if (batch.started == batch.count) std::erase(open, &batch);
        lock.unlock();
        std::exception_ptr failure;
        const auto outer = std::exchange(nesting, batch.depth + 1);
        try {
            batch.task(index);
        } catch (...) {
            failure = std::current_exception();
        }
        nesting = outer;
        ++finished;
        play_interlude();
        lock.lock();
        if (failure && (!batch.failure || index < batch.failed_index)) {
            batch.failure = failure;
            batch.failed_index = index;
        }
        const bool is_last = ++batch.ended == batch.count;
        if (is_last && std::this_thread::get_id() != batch.caller) announce();
    }

    /// What a thread of the pool does all its life.
    void work() {
        Lock lock(mutex);
        while (true) {
            if (auto* batch = open_batch(0)) {
                run_one(*batch, lock);
            } else if (ending) {
                return;
            } else if (!changes_soon(lock)) {
                changed.wait(lock);
            }
        }
    }
};

Workers::Workers(std::size_t threads) : pool_(std::make_unique<Pool>()) {
    assert(threads >= 1);
    for (std::size_t i = 1; i < threads; ++i)
        pool_->threads.emplace_back([pool = pool_.get()] { pool->work(); });
}

Workers::~Workers() = default;

std::size_t Workers::threads() const { return pool_->threads.size() + 1; }

std::uint64_t Workers::finished() const { return pool_->finished; }

void Workers::set_interlude(std::function<void()> work) { pool_->interlude = std::move(work); }

void Workers::interlude() const { pool_->play_interlude(); }

bool Workers::has_interlude() const { return static_cast<bool>(pool_->interlude); }

void Workers::parallel_for(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (count == 0) return;
    Batch batch{task, count, nesting};
    Pool::Lock lock(pool_->mutex);
    pool_->open.push_back(&batch);
    if (count > 1) pool_->announce();  // the first is for this thread
    while (batch.ended < batch.count) {
        if (batch.started < batch.count) {
            pool_->run_one(batch, lock);
        } else if (auto* other = pool_->open_batch(batch.depth)) {
            // Never one that is nested less: it could be long, and its memory would come on top.
            pool_->run_one(*other, lock);
        } else {
            pool_->wait(lock);
        }
    }
    lock.unlock();
    if (batch.failure) std::rethrow_exception(batch.failure);
}

void Workers::run_isolated(const std::function<void()>& work) {
    const auto leave = [this, outer = nesting] {
        nesting = outer;
        const std::lock_guard lock(pool_->mutex);
        pool_->announce();  // to those in wait_for_isolated
    };
    nesting += isolated_nesting;
    try {
        work();
    } catch (...) {
        leave();
        throw;
    }
    leave();
}

void Workers::wait_for_isolated(const std::function<bool()>& done) {
    Pool::Lock lock(pool_->mutex);
    while (!done()) {
        if (auto* batch = pool_->open_batch(isolated_nesting))
            pool_->run_one(*batch, lock);
        else
            pool_->wait(lock);
    }
}

}  // namespace ventral::core
