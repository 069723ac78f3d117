#pragma once
/// @file
/// The check of what a plan took for granted: files that were not read when the run began, since
/// their hashes were remembered, are hashed before networks, features or recordings are made of
/// them. Results of earlier runs rest on what was remembered: where files may change without their
/// size, inode and times (images of file systems with set times), only `--rehash` finds out.

#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/stimulus_set.hpp"
#include "pipeline/input_facts.hpp"

namespace ventral::pipeline {

class InputTruth {
public:
    /// `hashes`: the file of the `HashCache`, which goes when it is found wrong, so that the next
    /// start reads everything. `got_on` is called all the while files are hashed, as a sign of
    /// life.
    InputTruth(const InputFacts& facts, std::string hashes, std::function<void()> got_on = {});

    /// Each throws `core::OutputError`, for trying again helps, if the content is another one than
    /// was remembered; `core::InputError` if it cannot be read. What was found true once, or was
    /// read when the run began, is not read again.
    void require_file(const std::string& path);
    void require_stimuli(const std::string& dataset, const core::StimulusSet& stimuli);

private:
    [[noreturn]] void forget(const std::string& what) const;

    std::string hashes_;
    std::function<void()> got_on_;
    std::map<std::string, std::string> files_;    ///< still to be checked: path → SHA-256
    std::map<std::string, std::string> stimuli_;  ///< dataset → key
};

}  // namespace ventral::pipeline
