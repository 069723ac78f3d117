#include "simulate_ranks.hpp"

#include <cmath>
#include <iostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "exit_codes.hpp"
#include "io/journal/line_kind.hpp"
#include "io/journal/read_journal.hpp"
#include "io/out_folder.hpp"
#include "leaderboard/aligned_columns.hpp"
#include "leaderboard/cell_text.hpp"
#include "leaderboard/records.hpp"
#include "pipeline/simulation/measured_stages.hpp"
#include "pipeline/simulation/simulate_job.hpp"

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
    io::for_each_line(io::journal_folder(measured.out), [&](const auto& line) {
        if (io::kind_of(line.json) == io::line_kind::times) journal.push_back(line.json);
    });
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
                   const pipeline::RunPlan& plan, Format format) {
    const auto units = pipeline::measured_stages(run, facts, plan,
                                                 leaderboard::read_records(measured.out).records);
    if (units.empty())
        throw core::InputError(measured.out + ": no score of this run is there, with its times");
    const auto job = job_of(measured, plan, units);
    say_what_is_known(measured.calibration);
    const auto slowdown = slowdown_of(measured.calibration);
    const auto seconds_on = [&](std::size_t count) {
        return pipeline::simulate_job(units, {.ranks = count,
                                              .start_seconds = measured.start_seconds + job.rest,
                                              .ceilings = job.ceilings,
                                              .slowdown = slowdown});
    };
    const double alone = seconds_on(1).seconds;
    std::vector<leaderboard::TextRow> rows = {{"ranks", "seconds", "speed-up", "idle"}};
    auto results = nlohmann::ordered_json::array();
    for (const auto count : ranks) {
        const auto outcome = seconds_on(count);
        const double speed_up = alone / outcome.seconds;
        rows.push_back({std::to_string(count), leaderboard::rounded(outcome.seconds),
                        leaderboard::rounded(speed_up),
                        leaderboard::rounded(std::round(outcome.idle_share * 1e4) / 1e4)});
        results.push_back({{"ranks", count},
                           {"seconds", outcome.seconds},
                           {"speed_up", speed_up},
                           {"idle_share", outcome.idle_share}});
    }
    if (format == Format::json)
        std::cout << nlohmann::ordered_json{{"ranks", std::move(results)}}.dump(2) << "\n";
    else
        std::cout << leaderboard::aligned_columns(rows, 0);
    return exit_done;
}

}  // namespace ventral::jobs
