#include "pipeline/trial_ahead.hpp"

#include <chrono>
#include <exception>
#include <system_error>

namespace ventral::pipeline {

void TrialAhead::begin(const models::ModelRecord& model) {
    const bool is_busy = in_work_.valid() &&
                         in_work_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
    if (!trial_ || is_busy) return;
    try {
        in_work_ = std::async(std::launch::async, [this, model] {
            try {
                trial_({model});
            } catch (const std::exception&) {
                // Whoever needs the network will ask again, and be told.
            }
        });
    } catch (const std::system_error&) {
        // No thread to be had: the trial comes when it is needed.
    }
}

}  // namespace ventral::pipeline
