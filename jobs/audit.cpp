#include "audit.hpp"

#include <filesystem>
#include <map>

#include "comm/from_first_rank.hpp"
#include "core/counted.hpp"
#include "core/log.hpp"
#include "core/where_and_when.hpp"
#include "io/durable_file.hpp"
#include "io/leftovers.hpp"
#include "leaderboard/agreement.hpp"
#include "leaderboard/records.hpp"
#include "pipeline/audit_sample.hpp"

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

std::map<std::string, core::ScoreRecord> by_key(const std::string& out) {
    std::map<std::string, core::ScoreRecord> records;
    for (auto& record : leaderboard::read_records(out).records) records[record.key] = record;
    return records;
}

/// How many of the scores came out otherwise; each is logged.
std::size_t count_differences(const Audit& audit, const std::string& out) {
    const auto before = by_key(out);
    const auto again = by_key(audit.folder);
    std::size_t differences = 0;
    for (const auto& key : audit.keys) {
        const auto& known = before.at(key);
        const auto found = again.find(key);
        std::optional<std::string> problem;
        if (found == again.end() || found->second.status != core::ScoreStatus::scored)
            problem = leaderboard::score_name(known) + ": could not be computed again" +
                      (found != again.end() && found->second.failure
                           ? " (" + found->second.failure->reason + ")"
                           : "");
        else
            problem = leaderboard::disagreement(known, found->second);
        if (!problem) continue;
        core::log_error("audit: " + *problem);
        ++differences;
    }
    return differences;
}

/// Gives what was computed a name under which the next run leaves it where it is.
std::string keep_folder(const std::string& folder, const std::string& out) {
    const auto kept = out + "/audit." + io::unique_suffix();
    std::error_code error;
    std::filesystem::rename(folder, kept, error);
    return error ? folder : kept;
}

bool compare(const Audit& audit, const std::string& out, std::size_t finished) {
    const auto differences = count_differences(audit, out);
    const auto what = core::counted(audit.keys.size(), "score") + " of " +
                      std::to_string(finished) + " finished earlier computed again, ";
    if (differences > 0) {
        core::log_error("audit: " + what + std::to_string(differences) +
                        " came out otherwise; what was computed is in " +
                        keep_folder(audit.folder, out));
        return false;
    }
    core::log_info("audit: " + what + "all the same");
    std::error_code ignored;
    std::filesystem::remove_all(audit.folder, ignored);
    return true;
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
    auto again = options;
    again.out = sample.folder;
    again.hashes = pipeline::hashes_path(options.out);
    again.only = {sample.keys.begin(), sample.keys.end()};
    again.resume = {};
    again.activations = again.grams = pipeline::Keep::discard;
    const auto audited = pipeline::run(run, again, world, workers);
    const bool stopped = audited.interrupted || audited.open > 0;
    std::vector<std::int64_t> same = {1};
    comm::run_collectively(world, [&] {
        if (world.rank() != 0) return;
        if (stopped) {
            std::error_code ignored;
            std::filesystem::remove_all(sample.folder, ignored);
            core::log_warning("audit: stopped before its end, nothing was compared");
        } else
            same[0] = compare(sample, options.out, result.finished_before.size()) ? 1 : 0;
    });
    world.sum(same);
    if (stopped) return AuditOutcome::stopped;
    return same[0] == world.size() ? AuditOutcome::same : AuditOutcome::different;
}

}  // namespace ventral::jobs
