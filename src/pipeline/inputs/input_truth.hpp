#pragma once
/// @file
/// The check of what a plan took for granted: before networks, features or recordings are made of
/// files, those are hashed that were not read when the run began, since their hashes were
/// remembered, and those that have changed since. Results of earlier runs rest on what was
/// remembered: where files may change without their size, inode and times (images of file systems
/// with set times), only `--rehash` finds out.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/stimulus_set.hpp"
#include "pipeline/inputs/input_facts.hpp"

namespace ventral::pipeline {

/// Throws `error`, of an input that could be read when the run began, as a `core::TransientError`:
/// it is away for now, whatever the system says.
[[noreturn]] void throw_gone(const core::InputError& error);

class InputTruth {
public:
    /// `hashes`: the file of the `HashCache`, which goes when it is found wrong, so that the next
    /// start reads everything. `got_on` is called all the while files are hashed, as a sign of
    /// life.
    InputTruth(const InputFacts& facts, std::string hashes, std::function<void()> got_on = {});

    /// Each throws `core::TransientError`, for trying again helps, if the content is another one
    /// than the run began with or cannot be read now. What was found true once, or was read when
    /// the run began, is not read again unless its size, inode or times have changed.
    void require_file(const std::string& path);
    void require_stimuli(const std::string& dataset, const core::StimulusSet& stimuli);

private:
    struct Stimuli {
        std::string table;
        KnownContent content;
    };

    [[noreturn]] void forget(const std::string& what) const;
    void require(KnownContent& known, const std::vector<std::string>& files,
                 const std::string& what, const std::function<std::string()>& hash) const;

    std::string hashes_;
    std::function<void()> got_on_;
    std::map<std::string, KnownContent> files_;  ///< by path
    std::map<std::string, Stimuli> stimuli_;     ///< by dataset
};

}  // namespace ventral::pipeline
