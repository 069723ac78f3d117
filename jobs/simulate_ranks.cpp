#include "simulate_ranks.hpp"

#include <cmath>
#include <iostream>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "exit_codes.hpp"
#include "io/journal.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "leaderboard/cell_text.hpp"
#include "leaderboard/records.hpp"
#include "pipeline/measured_stages.hpp"
#include "pipeline/simulate_job.hpp"

namespace ventral::jobs {
namespace {

pipeline::Slowdown slowdown_of(const pipeline::Calibration& calibration) {
    const auto& together = calibration.together;
    const auto& alone = calibration.alone;
    return {calibration.workers, alone.convolution_flops / together.convolution_flops,
            alone.gram_flops / together.gram_flops, alone.product_flops / together.product_flops};
}

void say_what_is_known(const pipeline::Calibration& calibration) {
    if (calibration.host.empty())
        core::log_warning(
            "cores are taken not to slow each other down; ventral plan --calibrate measures it");
    else if (calibration.workers < 2)
        core::log_warning(
            "cores are taken not to slow each other down: the calibration is of one worker; "
            "ventral plan --calibrate --ranks N measures it with N");
}

pipeline::JobStages job_of(const MeasuredRun& measured, const pipeline::RunPlan& plan,
                           const std::vector<pipeline::UnitStages>& units) {
    std::vector<std::string> journal;
    for (auto& line : io::read_journal(measured.out + "/journal").lines)
        journal.push_back(std::move(line.json));
    const auto job = pipeline::measured_job(journal, plan, units);
    if (!job)
        core::log_warning(measured.out +
                          ": is of several starts, what they took beside their units is not "
                          "known; --simulate-start says it");
    return job.value_or(pipeline::JobStages{});
}

}  // namespace

int simulate_ranks(const std::vector<std::size_t>& ranks, const MeasuredRun& measured,
                   const config::RunRecord& run, const pipeline::InputFacts& facts,
                   const pipeline::RunPlan& plan) {
    if (measured.out.empty())
        throw core::InputError(
            "--simulate-ranks: needs the times of a run with one rank and one "
            "thread, give its folder with --out");
    const auto units = pipeline::measured_stages(run, facts, plan,
                                                 leaderboard::read_records(measured.out).records);
    if (units.empty())
        throw core::InputError(measured.out + ": no score of this run is there, with its times");
    const auto job = job_of(measured, plan, units);
    std::vector<leaderboard::TextRow> rows = {{"ranks", "seconds", "speed-up", "idle"}};
    say_what_is_known(measured.calibration);
    const auto slowdown = slowdown_of(measured.calibration);
    const auto seconds_on = [&](std::size_t count) {
        return pipeline::simulate_job(units, {.ranks = count,
                                              .start_seconds = measured.start_seconds + job.rest,
                                              .ceilings = job.ceilings,
                                              .slowdown = slowdown});
    };
    const double alone = seconds_on(1).seconds;
    for (const auto count : ranks) {
        const auto outcome = seconds_on(count);
        rows.push_back({std::to_string(count), leaderboard::rounded(outcome.seconds),
                        leaderboard::rounded(alone / outcome.seconds),
                        leaderboard::rounded(std::round(outcome.idle_share * 1e4) / 1e4)});
    }
    std::cout << leaderboard::aligned_columns(rows, 0);
    return exit_done;
}

}  // namespace ventral::jobs
