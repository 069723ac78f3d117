#include "pipeline/run.hpp"

#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "audit.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/seconds_since.hpp"
#include "exit_codes.hpp"
#include "kept_files_options.hpp"
#include "leaderboard/mixed_definitions.hpp"
#include "leaderboard/planned_scores.hpp"
#include "leaderboard/settings_of_records.hpp"
#include "leaderboard/superseded.hpp"
#include "leaderboard/tables_turn.hpp"
#include "leaderboard/write_leaderboard.hpp"
#include "leaderboard/written_tables.hpp"
#include "memory_limit.hpp"
#include "pipeline/plan/audit_sample.hpp"
#include "pipeline/run_plan.hpp"
#include "pipeline/watch/crash_trace.hpp"
#include "pipeline/watch/stop.hpp"
#include "print_leaderboard.hpp"
#include "record_warnings.hpp"
#include "run_file.hpp"
#include "run_limits.hpp"
#include "run_setup.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

struct RunArguments {
    RunFileArguments run_file;
    std::string out;
    std::string shard = "0/1";
    RunLimits limits;
    std::optional<std::size_t> threads;
    KeptFilesArguments kept;
    bool recompute = false;
    bool rehash = false;
    bool retry_failed = false;
    std::string audit;
    bool check_options = false;
};

pipeline::RunOptions options_of(const RunArguments& arguments, const config::RunRecord& run) {
    auto options = run_options(run, arguments.out);
    options.shard = pipeline::parse_shard(arguments.shard);
    set_limits(arguments.limits, options);
    options.kept = kept_files(arguments.kept);
    options.resume = {arguments.recompute, arguments.retry_failed};
    if (arguments.recompute || arguments.rehash)
        options.trust_hashes = pipeline::HashCache::Trust::no;
    return options;
}

void warn_of_mixtures(leaderboard::Night& night, const std::vector<core::ScoreRecord>& planned,
                      const config::RunRecord& run) {
    std::set<std::string> keys;
    for (const auto& record : planned) keys.insert(record.key);
    auto mixed =
        leaderboard::mixed_settings(night.records, keys, leaderboard::settings_text(run.settings));
    if (mixed) night.warnings.push_back(std::move(*mixed));
    for (auto& warning : leaderboard::mixed_definitions(night.records))
        night.warnings.push_back(std::move(warning));
}

/// The run file, if what is planned is all that it asks for.
std::optional<std::string> planned_whole(const RunFileArguments& arguments,
                                         const config::RunRecord& run) {
    if (arguments.models.empty() && arguments.benchmarks.empty()) return run.place;
    return std::nullopt;
}

/// `all_of` as in `take_planned`. A shard leaves them to others that are still at work: each would
/// write the scores of all.
void write_tables(const pipeline::RunResult& result, const config::RunRecord& run,
                  const std::optional<std::string>& all_of, const std::string& out) {
    if (result.others_at_work) {
        core::log_info(out +
                       ": other shards are at work, the last of them writes the tables (at any "
                       "time `ventral report` does)");
        return;
    }
    const auto planned = pipeline::all_planned(run, *result.facts);
    leaderboard::Night night;
    const auto longest =
        result.interrupted ? leaderboard::longest_wait_when_stopping : leaderboard::longest_wait;
    const pipeline::StopRequest stop(std::nullopt);
    const auto write = [&] {
        night = leaderboard::read_records(out);
        leaderboard::take_planned(night, planned, leaderboard::listed_scores(out), all_of);
        leaderboard::drop_superseded(night.records);
        warn_of_mixtures(night, planned, run);
        leaderboard::write_leaderboard(out, night);
    };
    leaderboard::write_in_turn(out, longest, write, [&] { return stop.pending(); });
    print_leaderboard(night);
}

/// The records of many nights take more memory than a night's units.
void write_tables_or_advise(const pipeline::RunResult& result, const config::RunRecord& run,
                            const RunArguments& arguments) {
    const auto& out = arguments.out;
    try {
        write_tables(result, run, planned_whole(arguments.run_file, run), out);
    } catch (const std::exception& error) {
        if (core::failure_class_of(error) != core::FailureClass::out_of_memory) throw;
        throw core::OutputError(out +
                                ": its tables are not written (a rank may not take as much memory "
                                "as all scores there) the scores are in the journal, and `ventral "
                                "report " +
                                out + " --out " + out +
                                "` makes tables of them where there is more");
    }
}

int exit_code(const pipeline::RunResult& result, const comm::Communicator& world,
              const std::string& next) {
    if (result.interrupted || result.open > 0) return tell_of_stop(result, world, next);
    return result.failed > 0 ? exit_some_failed : exit_done;
}

int run(const RunArguments& arguments, comm::Communicator& world) {
    pipeline::listen_for_stop_signals(exit_interrupted);
    const auto start = std::chrono::steady_clock::now();
    pipeline::report_crashes(world.rank());
    const auto record = share_run_file(arguments.run_file, world);
    pipeline::RunOptions options;
    std::optional<double> audited;
    comm::run_collectively(world, [&] {
        if (!arguments.audit.empty())
            audited =
                core::naming("--audit", [&] { return pipeline::parse_share(arguments.audit); });
        options = options_of(arguments, record);
    });
    if (world.rank() == 0) warn_of_records(record);
    if (arguments.check_options) return exit_done;
    core::Workers workers(agreed_worker_threads(arguments.threads, world));
    report_speed(workers, world);
    options.memory_bound = limit_memory(arguments.limits.memory, workers, world);

    const auto result = pipeline::run(record, options, world, workers);
    comm::run_collectively(world, [&] {
        if (world.rank() == 0) write_tables_or_advise(result, record, arguments);
    });
    if (world.rank() == 0)
        core::log_info(std::to_string(result.scored) + " scored, " + std::to_string(result.failed) +
                       " failed, " + std::to_string(result.open) + " open; results in " +
                       arguments.out);
    const int code = exit_code(result, world, arguments.recompute ? begins_anew : goes_on);
    if (!audited || code == exit_interrupted || result.open > 0) return code;
    if (options.max_seconds) *options.max_seconds -= core::seconds_since(start);
    switch (audit(record, options, result, *audited, world, workers)) {
        case AuditOutcome::different:
            return exit_failed;
        case AuditOutcome::failed:
            return exit_some_failed;
        case AuditOutcome::stopped:
            return tell_of_stop(result, world);
        case AuditOutcome::same:
            break;
    }
    return code;
}

}  // namespace

Subcommand add_run(CLI::App& app) {
    const auto arguments = std::make_shared<RunArguments>();
    auto* sub = app.add_subcommand("run", "score the models of a run file; resumes by itself");
    add_run_file_options(*sub, arguments->run_file);
    sub->add_option("--out", arguments->out, "folder for results, checkpoints and the journal")
        ->required();
    sub->add_option("--shard", arguments->shard,
                    "i/n: this job's part of the work, i from 0 to n - 1");
    add_threads_option(*sub, arguments->threads);
    add_limit_options(*sub, arguments->limits);
    add_kept_files_options(*sub, arguments->kept);
    sub->add_flag("--recompute", arguments->recompute,
                  "fit every score again, from the checkpoints there are; a Slurm job that was put "
                  "back into the queue goes on with those that it has not recorded itself");
    sub->add_flag("--rehash", arguments->rehash,
                  "read and hash all inputs anew: without it those whose size, inode and times are "
                  "as OUT/hashes.json remembers are only read where they are used, and checked "
                  "then (--recompute does so too)");
    sub->add_flag(
        "--retry-failed", arguments->retry_failed,
        "try failed scores again, in a Slurm job that was put back into the queue but for "
        "those that it has recorded itself");
    sub->add_option(
        "--audit", arguments->audit,
        "at the end compute this share of the scores that were finished before once "
        "more, from the images on, for example 0.5%, other ones every day: each is "
        "chosen with this probability, and at least one (of a shard there may be "
        "none); exit 1 if one comes out otherwise, 2 if one could not be computed again "
        "for a reason that may pass");
    sub->add_flag("--check-options", arguments->check_options,
                  "read the options and the run file and end, before anything is computed or "
                  "written: exit 1 if they say something wrong (whether memory is enough, inputs "
                  "are whole and OUT can be written is left to plan and the run)");
    return {sub, Ranks::all,
            [arguments](comm::Communicator& world) { return run(*arguments, world); }};
}

}  // namespace ventral::jobs
