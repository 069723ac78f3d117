#include "pipeline/run.hpp"

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "comm/from_first_rank.hpp"
#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "comm/total.hpp"
#include "comm/within_team.hpp"
#include "core/allocator.hpp"
#include "core/ceil_divide.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/out_folder.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/extraction/activations_budget.hpp"
#include "pipeline/extraction/discarded_files.hpp"
#include "pipeline/fit/ceilings.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/journal/failure_log.hpp"
#include "pipeline/journal/other_runs.hpp"
#include "pipeline/journal/prepare_output.hpp"
#include "pipeline/journal/unit_history.hpp"
#include "pipeline/run_plan.hpp"
#include "pipeline/schedule/containment.hpp"
#include "pipeline/units_in_work.hpp"
#include "pipeline/watch/memory_bound.hpp"
#include "pipeline/watch/stage_report.hpp"
#include "pipeline/watch/watched_communicator.hpp"

namespace ventral::pipeline {
namespace {

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

std::string hashes_of(const RunOptions& options) {
    return options.hashes.empty() ? hashes_path(options.out) : options.hashes;
}

/// What earlier runs have left, read by the first rank. Collective.
Finished share_finished(const std::string& out, const std::string& fingerprint,
                        const ResumeChoices& choices, comm::Communicator& world) {
    return comm::from_first_rank<Finished>(
        world, [&] { return read_finished(out, fingerprint, choices); });
}

/// The first rank records scores that cannot be computed, also those of an earlier run: what has
/// been scored in between is older then.
void record_impossible(const RunPlan& plan, RunJournal* journal, const TeamContext& context) {
    if (!journal || context.world_rank != 0) return;
    FailureLog log;
    for (auto record : plan.impossible) {
        if (record.failure->failure_class == core::FailureClass::out_of_memory)
            note_memory_bound(record, context.memory_share());
        log.add(record);
        record.provenance = context.provenance;
        journal->impossible(std::move(record));
    }
    journal->flush();
}

/// Of scores that failed before and stay so.
void tell_of_failed(const RunPlan& plan, const Finished& finished, const std::string& out) {
    std::size_t failed = 0;
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores)
            if (finished.status_of(score.key) == core::ScoreStatus::failed) ++failed;
    if (failed > 0)
        core::log_warning(core::counted(failed, "score") +
                          " failed in an earlier run and stay so (ventral report " + out +
                          " says why) --retry-failed tries them again");
}

/// Read by the first rank, which alone has the traces. Collective.
Past share_past(const std::string& out, const ResumeChoices& choices, comm::Communicator& world) {
    Past past;
    past.histories = comm::from_first_rank<UnitHistories>(world, [&] {
        past = read_past(out, {choices.retry_failed, choices.own_segments}, choices.memory_bound);
        return past.histories;
    });
    return past;
}

/// Keys of the scores that could not be computed again: in the tables there may be the value of an
/// earlier run. `finished` is what this job has begun with. Collective.
std::set<std::string> failed_again(const Finished& finished, const ResumeChoices& choices,
                                   const RunJournal* journal, comm::Communicator& world) {
    using Keys = std::vector<std::string>;
    const Keys own = journal ? Keys(journal->failed().begin(), journal->failed().end()) : Keys();
    std::set<std::string> failed;
    for (auto& keys : comm::gather_records(world, own))
        for (auto& key : keys) failed.insert(std::move(key));
    // Of a job that was put back into the queue: by its earlier starts.
    if (choices.recompute)
        for (const auto& [key, status] : finished.scores)
            if (status == core::ScoreStatus::failed) failed.insert(key);
    return failed;
}

/// Names of the segments that the ranks of this job write. Collective.
std::set<std::string> own_segments_of(const RunJournal* journal, comm::Communicator& world) {
    std::set<std::string> names;
    for (const auto& name : world.all_gather(journal ? journal->segment_name() : ""))
        names.insert(name);
    return names;
}

InputFacts facts_of_run(const config::RunRecord& record, const RunOptions& options,
                        comm::Communicator& world) {
    // Only to list all layers are networks loaded here; else each is when its unit extracts.
    const bool loads = record.layers == config::LayerChoice::all;
    auto facts = share_facts(
        record, world, loads ? options.network_trial : NetworkTrial{},
        world.rank() == 0 ? HashCache(hashes_of(options), options.trust_hashes) : HashCache());
    core::give_back_freed_memory();  // stored features were read for the names of their layers
    return facts;
}

/// The options', for the scores of the plan.
ResumeChoices resume_choices(const RunOptions& options, const RunPlan& plan) {
    auto choices = options.resume;
    choices.memory_bound = options.memory_bound.bytes;
    choices.own_segments = own_segments();
    choices.keys = score_keys_of(plan);  // of a shard without units none
    return choices;
}

/// What a run knows when it begins to score.
struct RunInWork {
    const config::RunRecord& record;
    const RunOptions& options;
    const InputFacts& facts;
    const RunPlan& plan;
    const ResumeChoices& choices;
    const Finished& finished;
    const Past& past;
};

/// Of what earlier runs have left, what needs no work; by the first rank.
void settle_the_past(const RunInWork& run, const OpenUnits& units, RunJournal& journal,
                     const TeamContext& context) {
    discard_finished(run.plan, run.record, run.facts, run.finished, context);
    journal.take_over(run.past.traces);
    if (run.options.kept.activations_budget && !units.has_work())  // else each unit sees to it
        keep_within_budget(io::activations_folder(run.options.out),
                           *run.options.kept.activations_budget);
    record_left_out(units, {run.record, run.finished, run.past.histories}, journal, context);
    tell_units_elsewhere(units, run.record, run.past.histories);
}

struct AllScores {
    const RunInWork& run;
    const OpenUnits& units;
    std::function<void()> on_ceiling;  ///< of one that is on disk now
};

/// The trace of the run, known to all stages as long as it is there.
class TraceInContext {
public:
    TraceInContext(const RunJournal* journal, comm::Communicator& world, TeamContext& context)
        : context_(context),
          trace_(journal ? journal->trace_path() : "", world, context.team,
                 context.memory_bound.bytes) {
        context_.trace = &trace_;
    }
    ~TraceInContext() { context_.trace = nullptr; }
    TraceInContext(const TraceInContext&) = delete;
    TraceInContext& operator=(const TraceInContext&) = delete;

private:
    TeamContext& context_;
    CrashTrace trace_;
};

/// What is finished of a unit that other runs have been at.
Finished finished_now(const PlannedUnit& unit, const RunInWork& run, const TeamContext& context) {
    std::set<std::string> keys;
    for (const auto& score : unit.scores) keys.insert(score.key);
    const auto& whole = context.others->whole_scores();
    const bool all_are_whole = std::includes(whole.begin(), whole.end(), keys.begin(), keys.end());
    if (all_are_whole && !run.choices.recompute) {  // the whole journal need not be read
        Finished finished;
        for (const auto& key : keys) finished.scores[key] = core::ScoreStatus::scored;
        return finished;
    }
    auto choices = run.choices;
    choices.keys = std::move(keys);
    return read_finished(run.options.out, context.fingerprint, choices);
}

/// Ceilings, then units. Throws `core::Interrupted` on all ranks if one is. Collective.
void score_all(const AllScores& work, RunJournal* journal, comm::Communicator& world,
               TeamContext& context) {
    const auto& run = work.run;
    const auto& units = work.units;
    InputTruth truth(run.facts, hashes_of(run.options), [&] { context.got_on(); });
    RecordingsReader recordings(run.record);
    recordings.check_files([&](const std::string& path) { truth.require_file(path); });
    const TraceInContext trace(journal, world, context);
    const auto ceilings = [&] {
        const auto time = context.time(Stage::ceilings);
        return settle_ceilings(run.plan.ceilings, recordings, world, context, [&] {
            work.on_ceiling();
            note_recorded();
        });
    }();
    core::give_back_freed_memory();
    NetworkTrials trials(run.record, run.options.network_trial, models_of(units.together));
    FailureLog::ToldReasons told;
    const UnitInputs inputs{run.record,   recordings, ceilings, run.facts,
                            run.finished, trials,     &truth,   &told};
    const auto news = [&](const PlannedUnit& unit) { return finished_now(unit, run, context); };
    score_units({units, run.past.histories, news}, inputs, journal, world, context);
}

/// Whether there is something that the next run will find, and what. Collective.
void note_what_is_recorded(RunResult& result, bool wrote_ceiling, const RunJournal* journal,
                           OtherRuns& others, comm::Communicator& world) {
    const bool has_lines = journal && journal->lines() > 0;
    // What it waited for counts too: the same command goes on from there.
    const bool waited = others.is_waited_for() && !others.scores().empty();
    const bool of_units = comm::on_any_rank(world, has_lines || waited);
    const bool ceilings = comm::on_any_rank(world, wrote_ceiling);
    result.recorded = of_units || ceilings;
    result.only_ceilings = ceilings && !of_units;
}

/// About how many nodes the ranks are on.
std::size_t nodes_of(const comm::Communicator& world, const comm::Communicator& team) {
    return static_cast<std::size_t>(core::ceil_divide(world.size(), team.size()));
}

/// What the options of a run say of the work of its teams.
void take_options(const RunOptions& options, const std::string& fingerprint,
                  const comm::Communicator& world, TeamContext& context) {
    context.out = options.out;
    context.fingerprint = fingerprint;
    context.kept = options.kept;
    context.provenance = options.provenance;
    context.provenance["fingerprint"] = fingerprint;
    context.provenance["ranks"] = std::to_string(world.size());
    context.provenance["threads"] = std::to_string(context.workers.threads());
    context.world_rank = world.rank();
    context.peak_memory = options.peak_memory;
    context.memory_bound = options.memory_bound;
    context.unit_timeout = options.unit_timeout;
}

struct WorkDone {
    bool interrupted = false;
    bool wrote_ceiling = false;
};

/// All that is open, until the run is to stop. Collective.
WorkDone do_work(const RunInWork& run, const OpenUnits& units, RunJournal* journal,
                 comm::Communicator& world, TeamContext& context) {
    WorkDone done;
    try {
        if (units.has_work())
            score_all({run, units, [&] { done.wrote_ceiling = true; }}, journal, world, context);
        context.stop.all_is_done();
    } catch (const core::Interrupted& reason) {
        done.interrupted = true;
        if (context.leads()) core::log_warning(reason.what());
    }
    return done;
}

/// Where the time of the ranks went, to the journal and to people. Collective.
void tell_times(StageClock& clock, RunJournal* journal, comm::Communicator& world) {
    const auto times = gather_times(clock, world);
    if (world.rank() != 0) return;
    if (journal) journal->times(times_json(times));
    for (const auto& line : report_lines(times)) core::log_info(line);
}

/// How it stands with the scores now. Collective.
void take_stock(RunResult& result, const RunInWork& run, const RunJournal* journal,
                comm::Communicator& world, const TeamContext& context) {
    const auto failed = failed_again(run.finished, run.options.resume, journal, world);
    const auto now = share_finished(run.options.out, context.fingerprint,
                                    {.trust_raw = true, .keys = run.choices.keys}, world);
    // What one team has left for another's unit.
    if (world.rank() == 0) discard_finished(run.plan, run.record, run.facts, now, context);
    count_results(result, run.plan, now, failed);
}

}  // namespace

RunResult run(const config::RunRecord& record, const RunOptions& options, comm::Communicator& world,
              core::Workers& workers) {
    std::optional<std::chrono::duration<double>> limit;
    if (options.max_seconds) limit.emplace(*options.max_seconds);
    const StopRequest stop(limit);
    models::configure_torch();
    comm::run_collectively(world, [&] {
        if (world.rank() == 0) require_any_file(record);
    });
    prepare_output(options.out, world);
    const auto fingerprint = agreed_fingerprint(world);
    RunResult result;
    result.facts = std::make_shared<const InputFacts>(facts_of_run(record, options, world));
    const auto& facts = *result.facts;
    RunPlan plan;
    comm::run_collectively(world, [&] {
        plan = make_plan(record, facts, options.shard);
        if (!options.only.empty()) keep_only(plan, options.only, record, facts);
    });
    const auto choices = resume_choices(options, plan);
    std::optional<ArrayOfRuns> array;
    comm::run_collectively(world, [&] {
        if (options.shard.count > 1 && world.rank() == 0)
            array.emplace(options.out, all_keys(record, facts));
    });
    OtherRuns others(options.out);
    world.barrier();  // before any rank reads what is finished
    const auto finished = share_finished(options.out, fingerprint, choices, world);
    result.finished_before = scored_before(plan, finished);
    const auto past = share_past(options.out, choices, world);
    const auto node = world.split_by_node();
    StageClock clock;
    WatchedCommunicator team(*node, clock);
    WatchedCommunicator watched_world(world, clock);
    Progress progress(team.rank() == 0 ? Progress::Shown::yes : Progress::Shown::no);
    TeamContext context{team, workers, stop, progress};
    take_options(options, fingerprint, world, context);
    std::optional<ActivationsBudget> budget;
    if (options.kept.activations_budget)
        context.activations_budget =
            &budget.emplace(io::activations_folder(options.out), *options.kept.activations_budget,
                            options.shard.count * nodes_of(world, team));
    std::optional<HangWatch> watch;
    comm::within_team(*node, world, [&] {
        watch.emplace(HangRules{.is_leaving = [&] { return stop.pending(); }, .end = leave_stuck},
                      *node, workers, clock);
    });
    context.clock = &clock;
    context.watch = &*watch;
    context.histories = &past.histories;
    std::optional<RunJournal> segment;
    if (context.leads()) segment.emplace(options.out, job_name(world), fingerprint, world.size());
    RunJournal* const journal = segment ? &*segment : nullptr;
    others.leave_out(own_segments_of(journal, world));
    context.others = &others;
    const RunInWork run{record, options, facts, plan, choices, finished, past};
    const auto units = open_units(plan, finished, past.histories);
    record_impossible(plan, journal, context);
    if (world.rank() == 0) {
        tell_of_failed(plan, finished, options.out);
        settle_the_past(run, units, *journal, context);
    }
    const auto done = do_work(run, units, journal, watched_world, context);
    result.interrupted = done.interrupted;
    if (units.has_work()) tell_times(clock, journal, world);
    if (journal) journal->flush();
    note_what_is_recorded(result, done.wrote_ceiling, journal, others, world);
    take_stock(result, run, journal, world, context);
    result.others_at_work = array && array->leave();
    return result;
}

}  // namespace ventral::pipeline
