#include "core/make_once.hpp"

namespace ventral::core {

void OnceGate::pass(const std::function<void()>& make, Workers* workers) {
    while (current() != Stage::made) {
        if (!take_on())
            wait(workers);
        else if (workers)
            workers->run_isolated([&] { make_now(make); });
        else
            make_now(make);
    }
}

OnceGate::Stage OnceGate::current() {
    const std::lock_guard lock(mutex_);
    return stage_;
}

/// True for the one caller who is to run `make` now.
bool OnceGate::take_on() {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::unmade) return false;
    stage_ = Stage::in_work;
    return true;
}

void OnceGate::enter(Stage next) {
    {
        const std::lock_guard lock(mutex_);
        stage_ = next;
    }
    changed_.notify_all();
}

void OnceGate::make_now(const std::function<void()>& make) {
    try {
        make();
    } catch (...) {
        enter(Stage::unmade);
        throw;
    }
    enter(Stage::made);
}

void OnceGate::wait(Workers* workers) {
    if (workers) {
        workers->wait_for_isolated([this] { return current() != Stage::in_work; });
    } else {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stage_ != Stage::in_work; });
    }
}

}  // namespace ventral::core
