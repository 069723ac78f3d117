#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "exit_codes.hpp"
#include "leaderboard/mixed_definitions.hpp"
#include "leaderboard/night_diff_text.hpp"
#include "leaderboard/planned_scores.hpp"
#include "leaderboard/raw_assemblies.hpp"
#include "leaderboard/settings_of_records.hpp"
#include "leaderboard/superseded.hpp"
#include "leaderboard/tables.hpp"
#include "leaderboard/tables_turn.hpp"
#include "leaderboard/write_leaderboard.hpp"
#include "leaderboard/written_tables.hpp"
#include "metrics/normalisation.hpp"
#include "pipeline/fit/ceilings.hpp"
#include "pipeline/fit/score_slices.hpp"
#include "print_leaderboard.hpp"
#include "subcommand.hpp"

namespace ventral::jobs {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
    std::vector<std::string> nights;
    std::string out;
    std::optional<std::string> normalisation;
    std::string earlier;
    bool current = false;
    bool json = false;
};

/// By key.
using Records = std::map<std::string, core::ScoreRecord*>;

/// Scores that stay as they are, by the reason.
using LeftAsBefore = std::map<std::string, std::vector<const core::ScoreRecord*>>;

Records scored(leaderboard::Night& night) {
    Records records;
    for (auto& record : night.records)
        if (record.status == core::ScoreStatus::scored) records[record.key] = &record;
    return records;
}

LeftAsBefore normalise_by_numbers(leaderboard::Night& night, const std::string& normalisation) {
    LeftAsBefore left;
    for (const auto& [key, record] : scored(night))
        if (!pipeline::normalise_again(*record, normalisation))
            left["without raw value or ceiling"].push_back(record);
    return left;
}

/// Nothing, with a warning, if it is damaged.
std::optional<core::CeilingValue> ceiling_of_neuroids(leaderboard::Night& night,
                                                      const std::string& out,
                                                      const std::string& key) {
    try {
        return pipeline::ceiling_with_neuroids(out, key);
    } catch (const core::InputError& error) {
        night.warnings.push_back(error.what());
        return std::nullopt;
    }
}

/// The same from the raw values of splits in the journals, and the ceilings beside these.
LeftAsBefore normalise_by_neuroids(leaderboard::Night& night) {
    LeftAsBefore left;
    auto lacking = scored(night);
    std::map<std::string, std::optional<core::CeilingValue>> ceilings;
    leaderboard::for_each_raw_assembly(night, [&](const core::Assembly& raw) {
        const auto& key = std::get<std::string>(raw.attributes.at("key"));
        const auto found = lacking.find(key);
        if (found == lacking.end()) return;
        auto& record = *found->second;
        const fs::path out = fs::path(night.journal_of.at(key)).parent_path();
        const auto [place, is_new] = ceilings.try_emplace(out / record.raw_labels);
        auto& ceiling = place->second;
        if (is_new) ceiling = ceiling_of_neuroids(night, out, record.raw_labels);
        if (!record.ceiling || !ceiling || !ceiling->neuroids) return;
        lacking.erase(found);
        try {
            pipeline::normalise_neuroids_again(record, raw, *ceiling);
        } catch (const core::InputError& error) {
            left[error.what()].push_back(&record);
        }
    });
    for (const auto& [key, record] : lacking)
        left
            ["without raw value or ceiling of each neuroid, which private data, comparisons and "
             "time bins have not"]
                .push_back(record);
    return left;
}

/// The value follows from raw values and ceiling, so nothing is scored again.
void normalise_again(leaderboard::Night& night, const std::string& normalisation) {
    const bool by_neuroids = normalisation == metrics::neuroid_wise;
    const auto left =
        by_neuroids ? normalise_by_neuroids(night) : normalise_by_numbers(night, normalisation);
    for (const auto& [reason, records] : left) {
        const auto& first = *records.front();
        night.warnings.push_back("left as before: " + core::counted(records.size(), "score") +
                                 ", one is " + first.model + ", " + first.layer + " on " +
                                 first.benchmark + " (" + first.normalisation + "): " + reason);
    }
}

/// Whether the tables of a run will be replaced.
bool goes_into_a_night(const ReportArguments& arguments) {
    return std::any_of(arguments.nights.begin(), arguments.nights.end(), [&](const auto& night) {
        std::error_code absent;
        return fs::equivalent(night, arguments.out, absent);
    });
}

/// A run's own tables say what the run's benchmarks say, and what a run with the same --out has to
/// go on with.
void refuse_to_replace(const ReportArguments& arguments) {
    const bool is_merged = arguments.nights.size() > 1;
    if ((!arguments.normalisation && !is_merged) || !goes_into_a_night(arguments)) return;
    const std::string others =
        arguments.normalisation ? "another normalisation's" : "those of several runs";
    throw core::InputError(arguments.out +
                           ": is a run's own folder (its tables would be replaced by " + others +
                           ") choose another --out");
}

/// What the last tables of the folders say, which --current needs.
struct Listed {
    std::vector<core::ScoreRecord> records;
    std::map<std::string, std::string> written;  ///< by key when the tables were that list it
};

Listed listed_in(const ReportArguments& arguments) {
    Listed listed;
    for (const auto& folder : arguments.nights) {
        const auto written = leaderboard::time_of_tables(folder);
        for (auto& record : arguments.current ? leaderboard::current_scores(folder)
                                              : leaderboard::listed_scores(folder)) {
            listed.written[record.key] = written;
            listed.records.push_back(std::move(record));
        }
    }
    return listed;
}

leaderboard::Night merged(const ReportArguments& arguments, const Listed& listed) {
    auto night = leaderboard::read_nights(arguments.nights);
    if (arguments.current)
        leaderboard::keep_listed(night.records, listed.records);
    else
        leaderboard::take_listed_places(night.records, listed.records);
    leaderboard::drop_superseded(night.records, listed.written);
    return night;
}

std::size_t open_scores(const leaderboard::Night& night) {
    return static_cast<std::size_t>(std::count_if(
        night.records.begin(), night.records.end(),
        [](const auto& record) { return record.status == core::ScoreStatus::pending; }));
}

/// Which asked for the open scores, as far as that is known.
std::string run_files_of_open(const leaderboard::Night& night) {
    std::set<std::string> files;
    for (const auto& record : night.records)
        if (record.status == core::ScoreStatus::pending)
            files.insert(core::provenance_of(record, core::config_entry));
    files.erase("");
    return files.empty() ? "the run file that names them" : core::joined(files);
}

/// Scores that the last run's tables promise and no journal has (any more); only --current lists
/// them.
std::size_t promised_scores(const std::vector<core::ScoreRecord>& listed,
                            const leaderboard::Night& night) {
    std::set<std::string> known;
    for (const auto& record : night.records) known.insert(record.key);
    std::set<std::string> promised;
    for (const auto& record : listed)
        if (leaderboard::is_promised(record) && !known.contains(record.key))
            promised.insert(record.key);
    return promised.size();
}

void print(const ReportArguments& arguments, const leaderboard::Night& night,
           const std::optional<leaderboard::NightDiff>& diff) {
    if (!arguments.json) {
        print_leaderboard(night);
        if (diff) std::cout << "\n" << leaderboard::night_diff_text(*diff, arguments.earlier);
        return;
    }
    log_problems(night);
    const auto scores = leaderboard::scores_json(night, arguments.out);
    if (diff)
        std::cout << "{\"diff\":" << leaderboard::night_diff_json(*diff, arguments.earlier)
                  << ",\n\"scores\":" << scores << "}\n";
    else
        std::cout << scores;
}

leaderboard::Night make_report(const ReportArguments& arguments) {
    const auto listed = listed_in(arguments);
    auto night = merged(arguments, listed);
    if (arguments.normalisation) normalise_again(night, *arguments.normalisation);
    if (!arguments.current && goes_into_a_night(arguments))
        night.warnings.push_back("these tables take the place of the last run's in " +
                                 arguments.out +
                                 ", by which --current knows what is current (choose another "
                                 "--out to keep those)");
    if (night.records.empty())
        night.warnings.push_back("no score is recorded in " + arguments.nights.front() +
                                 (arguments.nights.size() > 1 ? " and the other folders" : "") +
                                 " (a journal that is lost, or a run that has not begun?)");
    if (const auto mixed = leaderboard::mixed_settings(night.records))
        night.warnings.push_back(*mixed);
    for (auto& warning : leaderboard::mixed_definitions(night.records))
        night.warnings.push_back(std::move(warning));
    if (const auto promised = arguments.current ? 0 : promised_scores(listed.records, night))
        night.warnings.push_back(
            "planned and not computed yet: " + core::counted(promised, "score") +
            (goes_into_a_night(arguments) ? "" : " (--current lists them)"));
    if (const auto open = open_scores(night); open > 0)
        night.warnings.push_back("not computed yet: " + core::counted(open, "score") +
                                 " (a run of " + run_files_of_open(night) +
                                 " with the same --out goes on with them, or drops them if it "
                                 "does not name them any more)");
    return night;
}

/// While no run does so, if the folder is a run's own.
leaderboard::Night write_report(const ReportArguments& arguments) {
    leaderboard::Night night;
    const auto write = [&] {
        night = make_report(arguments);
        leaderboard::write_leaderboard(arguments.out, night);
    };
    if (goes_into_a_night(arguments))
        leaderboard::write_in_turn(arguments.out, leaderboard::longest_wait, write);
    else
        write();
    return night;
}

int report(const ReportArguments& arguments) {
    refuse_to_replace(arguments);
    // Before the tables are written: they may be the earlier ones.
    std::vector<core::ScoreRecord> earlier;
    if (!arguments.earlier.empty()) earlier = leaderboard::earlier_scores(arguments.earlier);
    const auto night = write_report(arguments);
    std::optional<leaderboard::NightDiff> diff;
    if (!arguments.earlier.empty()) diff = leaderboard::night_diff(earlier, night.records);
    print(arguments, night, diff);
    const bool differs = diff && count(*diff, leaderboard::ChangeKind::other_bits) > 0;
    if (!night.conflicts.empty() || differs) return exit_failed;
    return open_scores(night) > 0 ? exit_interrupted : exit_done;
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
    sub->add_option("--diff", arguments->earlier,
                    "also print what changed since OLD, a folder with the scores.json or "
                    "scores.csv of an earlier night: new, gone, changed (and whether the model or "
                    "the benchmark did), newly failed, not computed and cured scores; exit 1 if "
                    "equal inputs "
                    "gave other bits")
        ->type_name("OLD");
    sub->add_flag("--current", arguments->current,
                  "only the scores that the last run's tables in DIR hold, those that are not "
                  "computed yet among them (then exit 75): without it those of models and "
                  "benchmarks that have changed since stand beside them, where they stood when "
                  "they were scored");
    sub->add_flag("--json", arguments->json,
                  "print the full records as JSON; with --diff an object: diff and scores");
    return {sub, Ranks::first_only,
            [arguments](comm::Communicator&) { return report(*arguments); }};
}

}  // namespace ventral::jobs
