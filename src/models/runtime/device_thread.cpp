#include "models/runtime/device_thread.hpp"

#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

namespace ventral::models {
namespace {

/// Never ends: what a GPU holds may outlive any static object.
class DeviceThread {
public:
    DeviceThread() : thread_([this] { work(); }) {}

    void run(const std::function<void()>& work) {
        if (std::this_thread::get_id() == thread_.get_id()) return work();
        std::packaged_task<void()> task(work);
        auto done = task.get_future();
        {
            const std::lock_guard lock(mutex_);
            tasks_.push(std::move(task));
        }
        waiting_.notify_one();
        done.get();
    }

private:
    [[noreturn]] void work() {
        for (;;) next()();
    }

    std::packaged_task<void()> next() {
        std::unique_lock lock(mutex_);
        waiting_.wait(lock, [this] { return !tasks_.empty(); });
        auto task = std::move(tasks_.front());
        tasks_.pop();
        return task;
    }

    std::mutex mutex_;
    std::condition_variable waiting_;
    std::queue<std::packaged_task<void()>> tasks_;
    std::thread thread_;  // last: it uses the others
};

}  // namespace

void on_thread_of(const std::string& device, const std::function<void()>& work) {
    if (device == "cpu") return work();
    static auto& thread = *new DeviceThread;
    thread.run(work);
}

}  // namespace ventral::models
