#include "audit.hpp"

#include <filesystem>

#include "comm/from_first_rank.hpp"
#include "core/counted.hpp"
#include "core/log.hpp"
#include "core/record_lookup.hpp"
#include "core/where_and_when.hpp"
#include "io/disk/writer_suffix.hpp"
#include "leaderboard/agreement.hpp"
#include "leaderboard/record_facts.hpp"
#include "leaderboard/records.hpp"
#include "pipeline/plan/audit_sample.hpp"

namespace ventral::jobs {
namespace {

struct Audit {
    std::vector<std::string> keys;
    std::string folder;  ///< while it is in work

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& keys& folder;
    }
};

/// Chosen by the first rank: clocks differ.
Audit choose(const pipeline::RunOptions& options, const pipeline::RunResult& result, double share,
             comm::Communicator& world) {
    const auto at_least =
        options.shard.count == 1 ? pipeline::AtLeast::one : pipeline::AtLeast::none;
    return comm::from_first_rank<Audit>(world, [&] {
        const auto day = core::time_now().substr(0, 10);
        const auto keys = pipeline::audit_sample(result.finished_before, share, day, at_least);
        return Audit{{keys.begin(), keys.end()},
                     options.out + "/audit." + io::writer_suffix() + ".tmp"};
    });
}

/// What has come of the scores.
struct Comparison {
    std::size_t different = 0;
    std::size_t failed = 0;  ///< for want of memory, say: what they would be is not known
    std::size_t of_other_numerics = 0;  ///< of those that are the same
};

/// Why a score has no value to compare; nothing if it is scored.
std::optional<std::string> why_not_scored(const core::ScoreRecord* again) {
    if (!again) return "could not be computed again";
    if (again->status == core::ScoreStatus::scored) return std::nullopt;
    return "could not be computed again" +
           (again->failure ? " (" + again->failure->reason + ")" : "");
}

/// Each that is not as it was is logged.
Comparison compared(const Audit& audit, const std::string& out) {
    const auto before = leaderboard::read_records(out).records;
    const auto again = leaderboard::read_records(audit.folder).records;
    const auto before_of = core::by_key(before);
    const auto again_of = core::by_key(again);
    Comparison comparison;
    for (const auto& key : audit.keys) {
        const auto& known = *before_of.at(key);
        const auto found = again_of.find(key);
        const auto* record = found == again_of.end() ? nullptr : found->second;
        const bool is_of_inputs =
            record && record->failure &&
            record->failure->failure_class == core::FailureClass::deterministic;
        auto problem = leaderboard::score_name(known) + ": ";
        if (const auto why = why_not_scored(record)) {
            ++(is_of_inputs ? comparison.different : comparison.failed);
            problem += *why;
        } else if (const auto difference = leaderboard::disagreement(known, *record)) {
            ++comparison.different;
            problem = *difference;
        } else {
            if (!leaderboard::is_same_fingerprint(known, *record)) ++comparison.of_other_numerics;
            continue;
        }
        core::log_error("audit: " + problem);
    }
    return comparison;
}

/// Gives what was computed a name under which the next run leaves it where it is.
std::string keep_folder(const std::string& folder, const std::string& out) {
    const auto kept = out + "/audit." + io::unique_suffix();
    std::error_code error;
    std::filesystem::rename(folder, kept, error);
    return error ? folder : kept;
}

/// Where not every bit was compared.
std::string other_numerics_text(const Comparison& comparison) {
    if (comparison.of_other_numerics == 0) return "";
    return " (" + std::to_string(comparison.of_other_numerics) +
           " of them, computed with other kernels or libraries then, to 1e-9, or 1e-5 with a "
           "network, and not in every bit)";
}

AuditOutcome compare(const Audit& audit, const std::string& out, std::size_t finished) {
    const auto found = compared(audit, out);
    const auto what = core::counted(audit.keys.size(), "score") + " of " +
                      std::to_string(finished) + " finished earlier computed again, ";
    if (found.different > 0) {
        core::log_error("audit: " + what + std::to_string(found.different) +
                        " came out otherwise; what was computed is in " +
                        keep_folder(audit.folder, out));
        return AuditOutcome::different;
    }
    if (found.failed > 0)
        core::log_error("audit: " + what + std::to_string(found.failed) +
                        " could not be, the others are the same" + other_numerics_text(found));
    else
        core::log_info("audit: " + what + "all the same" + other_numerics_text(found));
    std::error_code ignored;
    std::filesystem::remove_all(audit.folder, ignored);
    return found.failed > 0 ? AuditOutcome::failed : AuditOutcome::same;
}

}  // namespace

AuditOutcome audit(const config::RunRecord& run, const pipeline::RunOptions& options,
                   const pipeline::RunResult& result, double share, comm::Communicator& world,
                   core::Workers& workers) {
    const auto sample = choose(options, result, share, world);
    if (sample.keys.empty()) {
        if (world.rank() == 0)
            core::log_info("audit: " + std::to_string(result.finished_before.size()) +
                           " scores were finished before this run, none of them was chosen");
        return AuditOutcome::same;
    }
    if (world.rank() == 0)
        core::log_info("audit: computes " + core::counted(sample.keys.size(), "score") + " of " +
                       std::to_string(result.finished_before.size()) + " finished earlier again");
    auto again = options;
    again.out = sample.folder;
    again.hashes = pipeline::hashes_path(options.out);
    again.only = {sample.keys.begin(), sample.keys.end()};
    again.resume = {};
    again.kept.activations = again.kept.grams = pipeline::Keep::discard;
    const auto audited = pipeline::run(run, again, world, workers);
    const bool stopped = audited.interrupted || audited.open > 0;
    if (stopped) {
        if (world.rank() == 0) {
            std::error_code ignored;
            std::filesystem::remove_all(sample.folder, ignored);
            core::log_warning("audit: stopped before its end, nothing was compared");
        }
        return AuditOutcome::stopped;
    }
    const auto outcome = comm::from_first_rank<int>(world, [&] {
        return static_cast<int>(compare(sample, options.out, result.finished_before.size()));
    });
    return static_cast<AuditOutcome>(outcome);
}

}  // namespace ventral::jobs
