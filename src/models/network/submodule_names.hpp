#pragma once
/// @file
/// The names of a network's submodules, of which several can mean the same one.

#include <map>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace ventral::models {

/// A submodule that Python has under two names is one object to PyTorch's hooks, which see its
/// calls under either name, but scripting makes a copy of it for each. Copies are told by their
/// class, by their tensors, which lie in the same place, and by the numbers and texts that they
/// store; so the weights must still be as they were loaded. Submodules without parameters are the
/// same if those around them are: different ones may well share a constant, as filters that blur.
/// Different submodules of one class that share all of these cannot be told from copies, unless
/// `tools/export_model` has numbered them.
class SubmoduleNames {
public:
    explicit SubmoduleNames(const torch::jit::Module& network);

    /// In the order of registration, those above before those below.
    const std::vector<std::string>& all() const { return all_; }

    bool has(const std::string& name) const { return first_.count(name) > 0; }

    /// The first name of the submodule, which stands for it as in PyTorch's `named_modules`; `name`
    /// is one that is there.
    const std::string& first(const std::string& name) const { return first_.at(name); }

    /// All names of the submodule, the first one first; `name` is one that is there.
    const std::vector<std::string>& same(const std::string& name) const {
        return names_.at(first(name));
    }

    /// Those taken for copies of an earlier one, without a number that says so.
    const std::vector<std::string>& doubtful() const { return doubtful_; }

private:
    struct Seen;
    void collect(const torch::jit::Module& module, const std::string& name, Seen& seen);

    std::vector<std::string> all_;
    std::vector<std::string> doubtful_;
    std::map<std::string, std::string> first_;
    std::map<std::string, std::vector<std::string>> names_;  ///< by the first
};

}  // namespace ventral::models
