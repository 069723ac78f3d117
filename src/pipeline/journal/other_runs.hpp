#pragma once
/// @file
/// What other runs with the same OUT do meanwhile, so that no work is done twice. Each claims a
/// unit or a ceiling (`io/disk/work_claim.hpp`) before it begins with it.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/score.hpp"
#include "io/disk/work_claim.hpp"

namespace ventral::pipeline {

class OtherRuns {
public:
    /// From here on counts what they record: to be made before what is finished is read.
    explicit OtherRuns(std::string out);

    /// These segments are of this job.
    void leave_out(const std::set<std::string>& segments);

    /// Nothing if another run is at the unit or ceiling of this key.
    std::optional<io::WorkClaim> claim(const std::string& key) const;

    /// Keys of the scores that they have recorded, as failed too, or in part.
    const std::set<std::string>& scores();
    /// Of those of them that are whole, and no failures.
    const std::set<std::string>& whole_scores();

    /// Bytes that have been recorded by anybody, this job too.
    std::uint64_t recorded();

    /// This run has nothing to do but to wait for them, or something again.
    void begin_wait() { is_waited_for_ = true; }
    void end_wait() { is_waited_for_ = false; }
    bool is_waited_for() const { return is_waited_for_; }

private:
    void read_on();
    void read_on(const std::string& segment, std::uint64_t size);

    std::string out_;
    std::set<std::string> own_;
    std::map<std::string, std::uint64_t> read_;  ///< how far, by segment
    std::uint64_t recorded_ = 0;
    std::set<std::string> scores_, whole_scores_;  ///< keys of what others have recorded
    bool is_waited_for_ = false;
};

/// The runs that are to score the same, each a shard of it.
class ArrayOfRuns {
public:
    /// From here on this run is one of them. `planned` are the keys of the scores of all.
    ArrayOfRuns(const std::string& out, const std::set<std::string>& planned);

    /// Ends that, and says whether others are at work still, as far as can be told.
    bool leave();

private:
    std::string path_;
    std::string key_;
    io::WorkClaim membership_;
};

/// How often one that waits for another run looks.
inline constexpr std::chrono::milliseconds between_looks(200);

/// For others that work, as long as anybody records something now and then. A run that is stuck
/// ends itself (`hang_watch.hpp`), so that this is for locks that nobody holds any more.
class Patience {
public:
    /// Of work that may stand still for so many seconds, 0: for ever.
    Patience(double timeout, OtherRuns& others);
    bool is_over();

private:
    using Clock = std::chrono::steady_clock;
    double seconds_;
    OtherRuns& others_;
    std::uint64_t recorded_;
    Clock::time_point since_ = Clock::now();
};

}  // namespace ventral::pipeline
