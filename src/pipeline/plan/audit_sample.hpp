#pragma once
/// @file
/// Which finished scores a run computes once more to see whether their bits come out again.

#include <set>
#include <string>
#include <vector>

namespace ventral::pipeline {

/// "0.5%" or "0.005" → 0.005. Throws `core::InputError` unless it is above 0 and at most 1.
double parse_share(const std::string& text);

enum class AtLeast { none, one };

/// About `share` of the keys, chosen by a hash of key and occasion (a date, for example): other
/// ones on another occasion, the same ones however the keys are divided among shards. With
/// `AtLeast::one` never none of several.
std::set<std::string> audit_sample(const std::vector<std::string>& keys, double share,
                                   const std::string& occasion, AtLeast at_least);

}  // namespace ventral::pipeline
