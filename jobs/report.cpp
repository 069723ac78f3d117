#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "exit_codes.hpp"
#include "leaderboard/superseded.hpp"
#include "leaderboard/tables.hpp"
#include "metrics/normalisation.hpp"
#include "pipeline/score_slices.hpp"
#include "print_leaderboard.hpp"
#include "subcommand.hpp"

namespace ventral::jobs {
namespace {

struct ReportArguments {
    std::vector<std::string> nights;
    std::string out;
    std::optional<std::string> normalisation;
    bool json = false;
};

/// The value follows from raw value and ceiling, so nothing is scored again.
void normalise_again(leaderboard::Night& night, const std::string& normalisation) {
    std::size_t left = 0;
    for (auto& record : night.records) {
        if (record.status != core::ScoreStatus::scored) continue;
        if (!pipeline::normalise_again(record, normalisation)) ++left;
    }
    if (left > 0)
        night.warnings.push_back("without raw value or ceiling, left as before: " +
                                 core::counted(left, "score"));
}

/// A run's own tables say what the run's benchmarks say.
void refuse_to_replace(const ReportArguments& arguments) {
    for (const auto& night : arguments.nights) {
        std::error_code absent;
        if (std::filesystem::equivalent(night, arguments.out, absent))
            throw core::InputError(arguments.out +
                                   ": is the run's own folder (with --re-ceil its tables would be "
                                   "replaced by another normalisation's) choose another --out");
    }
}

int report(const ReportArguments& arguments) {
    if (arguments.normalisation) refuse_to_replace(arguments);
    auto night = leaderboard::read_nights(arguments.nights);
    leaderboard::drop_superseded(night.records);
    if (arguments.normalisation) normalise_again(night, *arguments.normalisation);
    leaderboard::write_leaderboard(arguments.out, night);
    if (arguments.json) {
        log_problems(night);
        std::cout << leaderboard::scores_json(night, arguments.out);
    } else {
        print_leaderboard(night);
    }
    return night.conflicts.empty() ? exit_done : exit_failed;
}

}  // namespace

Subcommand add_report(CLI::App& app) {
    const auto arguments = std::make_shared<ReportArguments>();
    auto* sub = app.add_subcommand(
        "report", "merge the journals of runs, check that they agree, write the leaderboard");
    sub->add_option("DIR", arguments->nights, "folders that runs were given as --out")->required();
    sub->add_option("--out", arguments->out, "folder for scores.csv, scores.json and scores.nc")
        ->required();
    sub->add_option("--re-ceil", arguments->normalisation,
                    "normalise the raw scores anew, without scoring again; --out is then none "
                    "of the folders")
        ->check(CLI::IsMember(metrics::normalisations()));
    sub->add_flag("--json", arguments->json, "print the full records as JSON");
    return {sub, Ranks::first_only,
            [arguments](comm::Communicator&) { return report(*arguments); }};
}

}  // namespace ventral::jobs
