#pragma once
/// @file
/// Scores that failed, or are going to, in the log: a reason that many have is said once.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/log.hpp"
#include "core/score.hpp"

namespace ventral::pipeline {

class FailureLog {
public:
    using Say = std::function<void(const std::string&)>;

    /// `predicate` is what lines say of a score.
    explicit FailureLog(Say say = core::log_error, std::string predicate = "failed")
        : say_(std::move(say)), predicate_(std::move(predicate)) {}
    /// Says of how many more scores each of the reasons holds.
    ~FailureLog();
    FailureLog(const FailureLog&) = delete;
    FailureLog& operator=(const FailureLog&) = delete;

    /// Says it of the score and why, unless it was said of another one for the same reason.
    void add(const core::ScoreRecord& record);

private:
    struct Said {
        std::string score;  ///< "model, layer on benchmark" of the first one
        std::size_t others = 0;
    };
    Say say_;
    std::string predicate_;
    std::map<std::string, Said> reasons_;
};

}  // namespace ventral::pipeline
