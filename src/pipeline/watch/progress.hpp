#pragma once
/// @file
/// How far the work is, for people: a line that is drawn again on a terminal, lines now and then in
/// a log. On stderr.

#include <chrono>
#include <cstddef>
#include <string>

namespace ventral::pipeline {

class Progress {
public:
    enum class Shown { yes, no };

    /// Only one rank shows anything.
    explicit Progress(Shown shown);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// A new piece of work, for example "squeezenet1_0 on v4_201016 (1 of 4)".
    void begin(const std::string& work);

    /// `done` of `total` steps of a stage of it, for example "extract", 320, 600.
    void step(const std::string& stage, std::size_t done, std::size_t total);

private:
    Shown shown_;
    bool terminal_;
    std::string work_;
    std::string last_stage_;
    std::chrono::steady_clock::time_point last_shown_;
};

}  // namespace ventral::pipeline
