#pragma once
/// @file
/// Failed scores in the log: a reason that many have is said once.

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

    /// `outcome` is what lines say became of a score.
    explicit FailureLog(Say say = core::log_error, std::string outcome = "failed")
        : say_(std::move(say)), outcome_(std::move(outcome)) {}
    /// Says how many more scores failed for each of the reasons.
    ~FailureLog();
    FailureLog(const FailureLog&) = delete;
    FailureLog& operator=(const FailureLog&) = delete;

    /// Says which score has failed and why, unless another one has for the same reason.
    void add(const core::ScoreRecord& record);

private:
    struct Said {
        std::string score;  ///< "model, layer on benchmark" of the first one
        std::size_t others = 0;
    };
    Say say_;
    std::string outcome_;
    std::map<std::string, Said> reasons_;
};

}  // namespace ventral::pipeline
