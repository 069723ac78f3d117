#pragma once
/// @file
/// What a network changes of itself when it runs: attributes that it sets, values that it writes
/// in place. Found in its code, without running it.

#include <set>
#include <string>

namespace torch::jit {
struct Module;
}

namespace ventral::models {

/// Attributes by their own names ("state"), of whichever submodule: those of that name in all of
/// them, and what shares values with them, are copied for each pass, which a network pays for that
/// writes into its "weight".
struct StateChanges {
    std::set<std::string> set;      ///< they get another value: `self.state = 0.5 * self.state + x`
    std::set<std::string> written;  ///< theirs is changed: `self.state.add_(x)`, `self.seen.append`
    bool constants = false;         ///< tensors that stand in the code are changed, as in a trace

    bool none() const { return set.empty() && written.empty() && !constants; }
};

/// Of forward and all that it calls, without what is for training only: the statistics of batch
/// normalisation do not count. Errs on the side of too many: where several values can be meant, all
/// of them are told.
StateChanges state_changes(const torch::jit::Module& network);

}  // namespace ventral::models
