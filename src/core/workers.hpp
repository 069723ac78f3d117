#pragma once
/// @file
/// The worker threads of a rank. A task is single-threaded; what it computes never depends on which
/// worker runs it or on how many there are.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace ventral::core {

/// A fixed number of threads. Calls may be nested: a task that calls `parallel_for` works on its
/// own sub-tasks, and on others, until they are done.
class Workers {
public:
    /// `threads` ≥ 1 counts the caller of `parallel_for`, which works too: 1 starts no thread.
    explicit Workers(std::size_t threads);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    std::size_t threads() const;

    /// How many tasks have ended so far: a sign of life, which any thread may ask for.
    std::uint64_t finished() const;

    /// `work` is for the thread that made this object alone: whatever else it does here, it calls
    /// it after each of its tasks, now and then while it waits for those of others, and in
    /// `interlude`. It must be quick, must not throw and must not use this object; nothing: no
    /// work.
    void set_interlude(std::function<void()> work);
    void interlude() const;
    bool has_interlude() const;

    /// Runs `task(0)` … `task(count - 1)`, in any order, and returns when all have ended. If tasks
    /// threw, the exception of the lowest index is thrown here.
    void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task);

    /// Runs `work` here and now, so that tasks may wait for it: a `parallel_for` in it runs, while
    /// it waits, only its own tasks and those of other isolated work, never one that could wait for
    /// `work` itself. The tasks of isolated work must not wait for other isolated work.
    void run_isolated(const std::function<void()>& work);

    /// Returns once `done()`, which isolated work of this pool makes true; until then works on the
    /// tasks of isolated work. `done` is called under the pool's lock and must be quick.
    void wait_for_isolated(const std::function<bool()>& done);

private:
    struct Pool;
    std::unique_ptr<Pool> pool_;
};

}  // namespace ventral::core
