#pragma once
/// @file
/// Protection from libtorch 1.13, which follows some damaged or foreign network files into a crash
/// or an endless loop: networks are first tried in a process of their own.

#include <map>
#include <string>
#include <vector>

#include "models/model_record.hpp"

namespace ventral::jobs {

/// Identifier → reason, which begins with the path, of each network whose file cannot be loaded, or
/// crashes, takes more memory than there is or does not end when it is loaded or shown a stimulus
/// or two of noise, or that `models::mistaken_in_layout` refuses. For loading and then for the
/// passes (and what they load again) there are 120 s of processor time each, or as many as
/// VENTRAL_TRIAL_SECONDS says, and 20 s for each GiB of the file. A forward pass that fails in
/// order is not named: it will fail again where it is needed. A network that has passed is not
/// tried again until this process ends. The processes are those of `do_trial`. Throws
/// `core::TransientError` that names the first network that could not be tried: no process can be
/// started, something else has stopped it, it waits by the clock ten times as long, or the file
/// cannot be read now. Several threads may call it at once.
std::map<std::string, std::string> crashing_networks(
    const std::vector<models::ModelRecord>& models);

/// Throws `core::InputError` if VENTRAL_TRIAL_SECONDS is no whole number of them from 1 to 1800:
/// for the start of a run, where it ends the run; `crashing_networks` throws it too.
void check_trial_seconds();

/// How long such a process takes that has no network to try.
double process_start_seconds();

/// What that process does with its words, `ForkedWork`.
int try_networks(const std::vector<std::string>& words, int answers);

}  // namespace ventral::jobs
