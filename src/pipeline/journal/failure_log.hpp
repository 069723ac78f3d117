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
    using ToldReasons = std::map<std::string, std::string>;  ///< reason → the score it was said of

    /// `predicate` is what lines say of a score; reasons that are in `told`, of earlier logs, are
    /// not said again, and those that are said are added.
    explicit FailureLog(Say say = core::log_error, std::string predicate = "failed",
                        ToldReasons* told = nullptr)
        : say_(std::move(say)), predicate_(std::move(predicate)), told_(told) {}
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
        std::string model = {};  ///< of the others, where an earlier log has said the reason
    };
    Say say_;
    std::string predicate_;
    ToldReasons* told_;
    std::map<std::string, Said> reasons_;
};

}  // namespace ventral::pipeline
