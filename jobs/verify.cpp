#include <algorithm>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "benchmarks/expectations.hpp"
#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/record_lookup.hpp"
#include "exit_codes.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "leaderboard/cell_text.hpp"
#include "leaderboard/records.hpp"
#include "memory_limit.hpp"
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

using benchmarks::CheckedExpectation;

struct VerifyArguments {
    RunFileArguments run_file;
    std::string out;
    std::optional<std::size_t> threads;
    RunLimits limits;
    bool retry_failed = false;
    bool json = false;
};

/// Only benchmarks of which something is expected are scored. Of wrong ones that is not known.
void keep_expecting(config::RunRecord& run) {
    auto& benchmarks = run.benchmarks;
    for (const auto& benchmark : benchmarks)
        if (!benchmark.problem.empty()) throw core::InputError(benchmark.problem);
    std::erase_if(benchmarks, [](const auto& benchmark) { return benchmark.expected.empty(); });
    if (benchmarks.empty())
        throw core::InputError(run.origin +
                               ": no benchmark of the run states what is expected (nothing to "
                               "verify) add [expected.\"NAME\"] with 'ceiling' or 'score' and "
                               "'tolerance' to a benchmark's file");
}

/// What the journal has of the planned scores; a score that it lacks stays as planned.
std::vector<core::ScoreRecord> with_results(std::vector<core::ScoreRecord> records,
                                            const leaderboard::Night& night) {
    const auto record_of = core::by_key(night.records);
    for (auto& record : records) {
        const auto found = record_of.find(record.key);
        if (found == record_of.end()) continue;
        const bool committed = record.committed;
        record = *found->second;
        record.committed = committed;
    }
    return records;
}

std::string verdict(const CheckedExpectation& checked) {
    if (!checked.found) return checked.missing;
    return checked.holds() ? "ok" : "differs";
}

void print(const std::vector<CheckedExpectation>& all) {
    std::vector<leaderboard::TextRow> rows = {
        {"benchmark", "quantity", "model", "expected", "found", "tolerance", ""}};
    for (const auto& checked : all)
        rows.push_back({checked.benchmark, name_of(checked.expectation.quantity),
                        checked.expectation.model, core::number_text(checked.expectation.value),
                        leaderboard::rounded(checked.found),
                        core::number_text(checked.expectation.tolerance), verdict(checked)});
    std::cout << leaderboard::aligned_columns(rows, 0);
}

void print_json(const std::vector<CheckedExpectation>& all) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& checked : all) {
        nlohmann::ordered_json json = {{"benchmark", checked.benchmark},
                                       {"quantity", name_of(checked.expectation.quantity)},
                                       {"expected", checked.expectation.value},
                                       {"tolerance", checked.expectation.tolerance},
                                       {"holds", nullptr}};
        if (checked.is_planned) json["holds"] = checked.holds();
        if (!checked.expectation.model.empty()) json["model"] = checked.expectation.model;
        if (checked.found) json["found"] = *checked.found;
        if (!checked.missing.empty()) json["missing"] = checked.missing;
        list.push_back(std::move(json));
    }
    std::cout << nlohmann::ordered_json({{"expectations", list}}).dump(2) << "\n";
}

/// How many are not met.
std::size_t tell_count(const std::vector<CheckedExpectation>& all) {
    std::size_t bad = 0;
    std::size_t unplanned = 0;
    for (const auto& checked : all) {
        bad += checked.is_broken() ? 1 : 0;
        unplanned += checked.is_planned ? 0 : 1;
    }
    auto text = core::counted(all.size(), "expectation") + ", " + std::to_string(bad) + " not met";
    if (unplanned > 0) text += ", " + std::to_string(unplanned) + " not in this run";
    if (bad > 0)
        core::log_error(text);
    else if (unplanned > 0 && unplanned == all.size())
        core::log_warning(text + ": nothing was compared");
    else
        core::log_info(text);
    return bad;
}

int compare(const config::RunRecord& run, const pipeline::RunResult& result,
            const VerifyArguments& arguments) {
    const auto night = leaderboard::read_records(arguments.out);
    log_problems(night);
    const auto records = with_results(pipeline::all_planned(run, *result.facts), night);
    std::vector<CheckedExpectation> all;
    for (const auto& benchmark : run.benchmarks)
        for (auto& checked : benchmarks::check_expectations(benchmark, records))
            all.push_back(std::move(checked));
    arguments.json ? print_json(all) : print(all);
    const auto bad = tell_count(all);
    const auto failed = static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(),
                      [](const auto& record) { return record.failure.has_value(); }));
    if (failed > 0)
        core::log_warning(core::counted(failed, "score") + " of the run failed: ventral report " +
                          arguments.out + " says why");
    return bad == 0 && night.conflicts.empty() ? exit_done : exit_failed;
}

pipeline::RunOptions options_of(const VerifyArguments& arguments, const config::RunRecord& run) {
    auto options = run_options(run, arguments.out);
    options.resume.retry_failed = arguments.retry_failed;
    options.trust_hashes = pipeline::HashCache::Trust::no;
    set_limits(arguments.limits, options);
    return options;
}

int verify(const VerifyArguments& arguments, comm::Communicator& world) {
    pipeline::listen_for_stop_signals(exit_interrupted);
    pipeline::report_crashes(world.rank());
    const auto run = share_run_file(arguments.run_file, world, keep_expecting);
    pipeline::RunOptions options;
    comm::run_collectively(world, [&] { options = options_of(arguments, run); });
    if (world.rank() == 0) warn_of_records(run);
    core::Workers workers(agreed_worker_threads(arguments.threads, world));
    report_speed(workers, world);
    options.memory_bound = limit_memory(arguments.limits.memory, workers, world);
    const auto result = pipeline::run(run, options, world, workers);
    if (result.interrupted || result.open > 0) return tell_of_stop(result, world);
    return comm::from_first_rank<int>(world, [&] { return compare(run, result, arguments); });
}

}  // namespace

Subcommand add_verify(CLI::App& app) {
    const auto arguments = std::make_shared<VerifyArguments>();
    auto* sub = app.add_subcommand(
        "verify",
        "score what is missing of the benchmarks that state what is expected, and compare; exit 1 "
        "if a value of the run is outside its tolerance or missing (of models that the run does "
        "not have it is only said)");
    add_run_file_options(*sub, arguments->run_file);
    sub->add_option("--out", arguments->out,
                    "folder of the run: scores that are there already are not computed again")
        ->required();
    add_threads_option(*sub, arguments->threads);
    add_limit_options(*sub, arguments->limits);
    sub->add_flag("--retry-failed", arguments->retry_failed, "try failed scores again");
    sub->add_flag("--json", arguments->json, "print one JSON object");
    return {sub, Ranks::all,
            [arguments](comm::Communicator& world) { return verify(*arguments, world); }};
}

}  // namespace ventral::jobs
