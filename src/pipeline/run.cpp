#include "pipeline/run.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include <unistd.h>

#include "comm/records.hpp"
#include "core/allocator.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/durable_file.hpp"
#include "io/leftovers.hpp"
#include "models/torch_runtime.hpp"
#include "pipeline/activations_budget.hpp"
#include "pipeline/ceilings.hpp"
#include "pipeline/containment.hpp"
#include "pipeline/discarded_files.hpp"
#include "pipeline/failure_log.hpp"
#include "pipeline/keys.hpp"
#include "pipeline/memory_bound.hpp"
#include "pipeline/other_runs.hpp"
#include "pipeline/stage_report.hpp"
#include "pipeline/unit_history.hpp"
#include "pipeline/units_in_work.hpp"
#include "pipeline/watched_communicator.hpp"
#include "stats/blas_kernels.hpp"

namespace ventral::pipeline {
namespace {

namespace fs = std::filesystem;

std::string job_name(const comm::Communicator& world) {
    const char* job = std::getenv("SLURM_JOB_ID");
    return (job ? "slurm" + std::string(job) : "local") + "-r" + std::to_string(world.rank());
}

/// Start of the names of the segments that earlier starts of this very job have written; empty if
/// there were none: Slurm counts how often it has put the job back into its queue.
std::string own_segments() {
    const char* job = std::getenv("SLURM_JOB_ID");
    const char* restarts = std::getenv("SLURM_RESTART_COUNT");
    if (!job || !restarts || std::string(restarts) == "0") return {};
    return "slurm" + std::string(job) + "-r";
}

/// What earlier runs have left, read by the first rank. Collective.
Finished share_finished(const RunOptions& options, const std::string& fingerprint,
                        comm::Communicator& world) {
    std::string packed;
    comm::run_collectively(world, [&] {
        if (world.rank() == 0)
            packed = comm::pack(read_finished(options.out, fingerprint, options.resume));
    });
    return comm::unpack<Finished>(world.broadcast(packed, 0));
}

/// The first rank records scores that cannot be computed, also those of an earlier run: what has
/// been scored in between is older then.
void record_impossible(const RunPlan& plan, RunJournal* journal, const TeamContext& context) {
    if (!journal || context.world_rank != 0) return;
    FailureLog log;
    for (auto record : plan.impossible) {
        if (record.failure->failure_class == core::FailureClass::out_of_memory)
            note_memory_bound(record,
                              {context.memory_bound, static_cast<std::size_t>(context.team.size()),
                               context.workers.threads()});
        log.add(record);
        record.provenance = context.provenance;
        journal->impossible(std::move(record));
    }
    journal->flush();
}

/// What earlier runs have left of the units that ended their jobs.
struct Past {
    UnitHistories histories;
    std::vector<LeftTrace> traces;  ///< on the first rank
};

/// Read by the first rank. Collective.
Past share_past(const RunOptions& options, comm::Communicator& world) {
    const auto journal = options.out + "/journal";
    Past past;
    std::string packed;
    comm::run_collectively(world, [&] {
        if (world.rank() != 0) return;
        past.traces = read_traces(journal);
        packed =
            comm::pack(unit_histories(io::read_journal(journal).lines, past.traces,
                                      {options.resume.retry_failed, options.resume.own_segments},
                                      options.memory_bound.bytes));
    });
    past.histories = comm::unpack<UnitHistories>(world.broadcast(packed, 0));
    return past;
}

/// Keys of the scores that could not be computed again: in the tables there may be the value of an
/// earlier run. `finished` is what this job has begun with. Collective.
std::set<std::string> failed_again(const Finished& finished, const ResumeChoices& choices,
                                   const RunJournal* journal, comm::Communicator& world) {
    using Keys = std::vector<std::string>;
    const Keys own = journal ? Keys(journal->failed().begin(), journal->failed().end()) : Keys();
    std::set<std::string> failed;
    for (const auto& packed : world.all_gather(comm::pack(own)))
        for (auto& key : comm::unpack<Keys>(packed)) failed.insert(std::move(key));
    // Of a job that was put back into the queue: by its earlier starts.
    if (choices.recompute)
        for (const auto& [key, status] : finished.scores)
            if (status == "failed") failed.insert(key);
    return failed;
}

/// What the journal says now. Collective.
Finished finished_now(const RunOptions& options, const std::string& fingerprint,
                      comm::Communicator& world) {
    auto as_it_is = options;
    as_it_is.resume = {.trust_raw = true};
    return share_finished(as_it_is, fingerprint, world);
}

/// Names of the segments that the ranks of this job write. Collective.
std::set<std::string> own_segments_of(const RunJournal* journal, comm::Communicator& world) {
    std::set<std::string> names;
    for (const auto& name : world.all_gather(journal ? journal->segment_name() : ""))
        names.insert(name);
    return names;
}

/// Counts the scores of the shard.
void count_results(RunResult& result, const RunPlan& plan, const Finished& finished,
                   const std::set<std::string>& failed) {
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) {
            const auto found = finished.scores.find(score.key);
            if (failed.count(score.key) > 0)
                ++result.failed;
            else if (found != finished.scores.end())
                ++(found->second == "failed" ? result.failed : result.scored);
            else
                ++(finished.retried.count(score.key) > 0 ? result.failed : result.open);
        }
    result.failed += plan.impossible.size();
}

/// What the plan says of all scores of the run, of every shard.
std::vector<core::ScoreRecord> all_planned(const config::RunRecord& record,
                                           const InputFacts& facts) {
    auto plan = make_plan(record, facts, {});
    auto planned = std::move(plan.impossible);
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores)
            planned.push_back(planned_record(record, unit, score));
    return planned;
}

std::string ceiling_key_of(const config::RunRecord& record, const InputFacts& facts,
                           std::size_t benchmark) {
    const auto& dataset = facts.datasets.at(record.benchmarks[benchmark].dataset);
    return ceiling_key(record.benchmarks[benchmark], dataset.assembly_keys, dataset.stimuli_key);
}

/// Leaves of the plan what belongs to some scores.
void keep_only(RunPlan& plan, const std::set<std::string>& keys, const config::RunRecord& record,
               const InputFacts& facts) {
    std::set<std::string> ceilings;
    for (auto& unit : plan.units) {
        std::erase_if(unit.scores, [&](const auto& score) { return keys.count(score.key) == 0; });
        for (const auto& score : unit.scores)
            ceilings.insert(ceiling_key_of(record, facts, score.benchmark));
    }
    std::erase_if(plan.units, [](const auto& unit) { return unit.scores.empty(); });
    std::erase_if(plan.ceilings,
                  [&](const auto& ceiling) { return ceilings.count(ceiling.key) == 0; });
    plan.impossible.clear();
}

std::vector<std::string> scored_before(const RunPlan& plan, const Finished& finished) {
    std::vector<std::string> keys;
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) {
            const auto found = finished.scores.find(score.key);
            if (found != finished.scores.end() && found->second == "scored")
                keys.push_back(score.key);
        }
    return keys;
}

}  // namespace

std::string agreed_fingerprint(comm::Communicator& world) {
    const std::string mine = stats::numerics_fingerprint() + "; " + models::torch_fingerprint();
    const auto all = world.all_gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (all[rank] != all[0])
            throw comm::CollectiveError(
                static_cast<int>(rank),
                "computes with other numerics than rank 0 (" + all[rank] + " against " + all[0] +
                    ") run on nodes of one kind, or set OPENBLAS_CORETYPE alike everywhere (and "
                    "CUDA_VISIBLE_DEVICES to nothing where no network needs a GPU)");
    return mine;
}

namespace {

/// Returns the path of an empty file that it leaves there.
std::string write_probe(const std::string& out) {
    for (const char* part : {"journal", "activations", "grams", "ceilings"}) {
        const auto folder = fs::path(out) / part;
        std::error_code error;
        fs::create_directories(folder, error);
        if (error)
            throw core::InputError(folder.string() + ": cannot be used for output (" +
                                   error.message() + ") choose another --out");
    }
    const auto probe = (fs::path(out) / ("probe." + io::writer_suffix())).string();
    try {
        io::write_file_durably(probe, "");
    } catch (const core::InputError& error) {
        throw core::InputError(out + ": nothing can be written there (" + error.what() +
                               ") choose another --out");
    }
    return probe;
}

/// By the clock of the disk that has just written `probe`.
void clean_up(const std::string& out, const std::string& probe) {
    std::error_code absent;
    const auto now = fs::last_write_time(probe, absent);
    if (absent) return;
    std::size_t removed = io::remove_leftovers(out, now);
    for (const char* part : {"journal", "activations", "grams", "ceilings"})
        removed += io::remove_leftovers((fs::path(out) / part).string(), now);
    if (removed > 0)
        core::log_info(out + ": removed " + core::counted(removed, "temporary file") +
                       " of runs that were killed");
}

}  // namespace

void prepare_output(const std::string& out, comm::Communicator& world) {
    std::string probe;
    comm::run_collectively(world, [&] {
        if (world.rank() == 0) probe = write_probe(out);
    });
    probe = world.broadcast(probe, 0);
    const bool is_there = fs::exists(probe);
    world.barrier();
    if (world.rank() == 0) {
        clean_up(out, probe);
        fs::remove(probe);
    }
    comm::run_collectively(world, [&] {
        if (!is_there)
            throw core::InputError(out + ": is another folder here than on rank 0, give --out as " +
                                   "an absolute path that all ranks share");
    });
}

RunResult run(const config::RunRecord& record, const RunOptions& options, comm::Communicator& world,
              core::Workers& workers) {
    std::optional<std::chrono::duration<double>> limit;
    if (options.max_seconds) limit.emplace(*options.max_seconds);
    const StopRequest stop(limit);
    models::configure_torch();
    prepare_output(options.out, world);
    const auto fingerprint = agreed_fingerprint(world);
    // Only to list all layers are networks loaded here; else each is when its unit extracts.
    const bool loads = record.layers == config::LayerChoice::all;
    const auto hashes = options.hashes.empty() ? hashes_path(options.out) : options.hashes;
    const auto facts =
        share_facts(record, world, loads ? options.network_trial : NetworkTrial{},
                    world.rank() == 0 ? HashCache(hashes, options.trust_hashes) : HashCache());
    core::give_back_freed_memory();  // stored features were read for the names of their layers
    RunPlan plan;
    RunResult result;
    comm::run_collectively(world, [&] {
        plan = make_plan(record, facts, options.shard);
        if (!options.only.empty()) keep_only(plan, options.only, record, facts);
        result.planned = all_planned(record, facts);
    });
    auto resumed = options;
    resumed.resume.memory_bound = options.memory_bound.bytes;
    resumed.resume.own_segments = own_segments();
    auto& keys = resumed.resume.keys.emplace();  // of a shard without units none
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) keys.insert(score.key);
    OtherRuns others(options.out);
    world.barrier();  // before any rank reads what is finished
    const auto finished = share_finished(resumed, fingerprint, world);
    result.finished_before = scored_before(plan, finished);
    const auto past = share_past(resumed, world);
    const auto node = world.split_by_node();
    StageClock clock;
    WatchedCommunicator team(*node, clock);
    WatchedCommunicator watched_world(world, clock);
    Progress progress(team.rank() == 0 ? Progress::Shown::yes : Progress::Shown::no);
    TeamContext context{team, workers, stop, progress};
    context.clock = &clock;
    context.out = options.out;
    context.fingerprint = fingerprint;
    context.activations = options.activations;
    context.grams = options.grams;
    context.activations_budget = options.activations_budget;
    context.compression = options.compression;
    context.provenance = options.provenance;
    context.provenance["fingerprint"] = fingerprint;
    context.provenance["ranks"] = std::to_string(world.size());
    context.provenance["threads"] = std::to_string(workers.threads());
    context.world_rank = world.rank();
    context.peak_memory = options.peak_memory;
    context.memory_bound = options.memory_bound;
    HangWatch watch({.is_leaving = [&] { return stop.pending(); }, .end = leave_stuck}, *node,
                    workers, clock);
    context.unit_timeout = options.unit_timeout;
    context.watch = &watch;
    context.histories = &past.histories;
    std::optional<RunJournal> journal;
    if (context.leads()) journal.emplace(options.out, job_name(world), fingerprint, world.size());
    others.leave_out(own_segments_of(journal ? &*journal : nullptr, world));
    context.others = &others;
    record_impossible(plan, journal ? &*journal : nullptr, context);
    const auto units = open_units(plan, finished, past.histories);
    if (world.rank() == 0) {
        discard_finished(plan, record, facts, finished, context);
        journal->take_over(past.traces);
        const bool all_done = units.together.empty() && units.alone.empty();
        if (options.activations_budget && all_done)  // else each unit sees to it
            keep_within_budget(options.out + "/activations", *options.activations_budget);
        record_left_out(units, {record, finished, past.histories}, *journal, context);
        tell_units_elsewhere(units, record, past.histories);
    }

    InputTruth truth(facts, hashes, [&] { context.got_on(); });
    RecordingsReader recordings(record);
    recordings.check_files([&](const std::string& path) { truth.require_file(path); });
    bool wrote_ceiling = false;
    try {
        if (!units.together.empty() || !units.alone.empty()) {
            CrashTrace trace(journal ? journal->trace_path() : "", watched_world, team,
                             context.memory_bound.bytes);
            context.trace = &trace;
            const auto ceilings = [&] {
                const auto time = context.time(Stage::ceilings);
                return settle_ceilings(plan.ceilings, recordings, watched_world, context, [&] {
                    wrote_ceiling = true;
                    note_recorded();
                });
            }();
            core::give_back_freed_memory();
            NetworkTrials trials(record, options.network_trial, models_of(units.together));
            const UnitInputs inputs{record, recordings, ceilings, facts, finished, trials, &truth};
            const auto news = [&](const PlannedUnit& unit) {
                auto choices = resumed.resume;
                auto& of_unit = choices.keys.emplace();
                for (const auto& score : unit.scores) of_unit.insert(score.key);
                return read_finished(options.out, fingerprint, choices);
            };
            score_units({units, past.histories, news}, inputs, journal ? &*journal : nullptr,
                        watched_world, context);
        }
        stop.all_is_done();
    } catch (const core::Interrupted& reason) {
        result.interrupted = true;
        if (context.leads()) core::log_warning(reason.what());
    }
    if (!units.together.empty() || !units.alone.empty()) {
        const auto times = gather_times(clock, world);
        if (journal && world.rank() == 0) journal->times(times_json(times));
        if (world.rank() == 0)
            for (const auto& line : report_lines(times)) core::log_info(line);
    }
    if (journal) journal->flush();
    const bool has_lines = journal && journal->lines() > 0;
    // What it waited for counts too: the same command goes on from there.
    const bool waited = others.is_waited_for() && !others.scores().empty();
    std::vector<std::int64_t> recorders = {has_lines || wrote_ceiling || waited ? 1 : 0};
    world.sum(recorders);
    result.recorded = recorders[0] > 0;
    const auto failed =
        failed_again(finished, options.resume, journal ? &*journal : nullptr, world);
    count_results(result, plan, finished_now(options, fingerprint, world), failed);
    return result;
}

}  // namespace ventral::pipeline
