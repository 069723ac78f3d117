#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/workers.hpp"
#include "exit_codes.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/pairing.hpp"
#include "network_trial.hpp"
#include "pipeline/extraction/damaged_images.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/outlook/estimate.hpp"
#include "pipeline/outlook/few_features.hpp"
#include "pipeline/outlook/time_needs.hpp"
#include "pipeline/outlook/unlike_layers.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/watch/progress.hpp"
#include "record_warnings.hpp"
#include "run_file.hpp"
#include "subcommand.hpp"
#include "threads.hpp"

namespace ventral::jobs {
namespace {

struct CheckArguments {
    RunFileArguments run_file;
    bool probe = false;
    bool images = false;
};

/// Counts and tells what is wrong, so that one call finds all of it.
class Problems {
public:
    void add(const std::string& problem) {
        core::log_error(problem);
        told_.push_back(problem);
    }
    bool has_reason(const std::string& reason) const {
        return std::any_of(told_.begin(), told_.end(),
                           [&](const auto& problem) { return problem.ends_with(": " + reason); });
    }
    /// Runs `step`; what it throws is a problem, unless it has been told.
    template <typename Step>
    void from(const std::string& where, const Step& step) {
        try {
            step();
        } catch (const std::exception& error) {
            if (!has_reason(error.what())) add(where + ": " + error.what());
        }
    }
    std::size_t count() const { return told_.size(); }

private:
    std::vector<std::string> told_;
};

/// What several benchmarks or datasets have in common is one problem, in the order found.
class CommonProblems {
public:
    /// Of `model`, or of benchmarks alone if that is empty.
    void add(const std::string& model, const std::string& place, const std::string& reason) {
        const auto known = std::find_if(common_.begin(), common_.end(), [&](const auto& each) {
            return each.model == model && each.reason == reason;
        });
        (known == common_.end() ? common_.emplace_back(Common{model, reason, {}}) : *known)
            .places.push_back(place);
    }
    void tell(Problems& problems) const {
        for (const auto& [model, reason, places] : common_) {
            const auto who = !model.empty()      ? model + " on "
                             : places.size() > 1 ? "benchmarks "
                                                 : "benchmark ";
            problems.add(who + core::joined(places) + ": " + reason);
        }
    }

private:
    struct Common {
        std::string model, reason;
        std::vector<std::string> places;
    };
    std::vector<Common> common_;
};

void warn_of_layers(const config::RunRecord& run, const pipeline::InputFacts& facts) {
    for (const auto& model : run.models) {
        if (facts.of(model).failure) continue;
        for (const auto& warning : layer_warnings(model)) core::log_warning(warning);
    }
}

/// Of every stimulus set that can be read: also those that only readouts are fitted on.
void check_images(const config::RunRecord& run, const pipeline::InputFacts& facts,
                  pipeline::RecordingsReader& recordings, Problems& problems) {
    core::Workers workers(worker_threads({}, 1));
    pipeline::Progress progress(pipeline::Progress::Shown::yes);
    for (const auto& [dataset, about] : facts.datasets) {
        if (about.failure || run.datasets.at(dataset).stimuli.csv.path.empty()) continue;
        problems.from("dataset " + dataset, [&] {
            for (const auto& reason :
                 pipeline::damaged_images(recordings.stimuli(dataset),
                                          run.datasets.at(dataset).access, workers, progress))
                problems.add("dataset " + dataset + ": " + reason);
        });
    }
}

bool has_networks(const config::RunRecord& run) {
    return std::any_of(run.models.begin(), run.models.end(),
                       [](const auto& model) { return !has_stored_features(model); });
}

/// What is compared of the stimuli whose images a network is shown: stored features have their
/// own, and the probe compares those of all.
bool compares_stimuli(const CheckArguments& arguments, const config::RunRecord& run) {
    return !arguments.probe && has_networks(run);
}

void check_recordings(const config::RunRecord& run, std::size_t b,
                      pipeline::RecordingsReader& recordings, bool with_stimuli) {
    const auto& benchmark = run.benchmarks[b];
    try {
        const auto& prepared = recordings.prepared(b);
        const auto& table = run.datasets.at(benchmark.dataset).stimuli.csv.path;
        if (with_stimuli && !table.empty())
            core::naming(table + " and " + recordings.target_file(b), [&] {
                pipeline::check_stimuli(prepared,
                                        recordings.stimuli(benchmark.dataset).stimulus_ids,
                                        metrics::StimuliOf::table);
            });
        if (benchmark.ceiling.is_none()) return;
        const auto& ceiling = metrics::find_ceiling(benchmark.ceiling.name);
        const auto repetitions = recordings.repetitions(b);
        core::naming(repetitions.name, [&] {
            metrics::check_repetitions(ceiling, repetitions);
            metrics::check_each_stimulus(ceiling, repetitions);
        });
        if (const auto unlike = recordings.unlike_target(b, repetitions))
            core::log_warning(*unlike);
    } catch (const std::exception& error) {
        throw core::InputError(recordings.public_reason(b, error.what()));
    }
}

/// What is the matter with a unit, but for recordings of which it has been said why.
std::string untold_problem(pipeline::UnitEstimate unit, const config::RunRecord& run,
                           const Problems& problems) {
    if (unit.problem != pipeline::unusable_text(unit, run)) return unit.problem;
    std::erase_if(unit.unusable,
                  [&](const auto& each) { return problems.has_reason(each.second); });
    return pipeline::unusable_text(unit, run);
}

/// What a network's record says of the unit before any pass: in which time bins it answers.
pipeline::UnitEstimate stated_estimate(const pipeline::PlannedUnit& unit,
                                       const config::RunRecord& run,
                                       const pipeline::InputFacts& facts,
                                       pipeline::RecordingsReader& recordings) {
    const auto& model = run.models[unit.model];
    pipeline::UnitEstimate estimate;
    estimate.model = model.identifier;
    estimate.dataset = unit.dataset;
    if (!model.time) return estimate;
    const auto stimuli = facts.datasets.at(unit.dataset).stimuli;
    estimate.unusable = pipeline::time_needs(run, unit, stimuli, recordings).unusable;
    estimate.problem = pipeline::unusable_text(estimate, run);
    return estimate;
}

/// What cannot be scored. Files of features say what is in them; of networks that is known after a
/// probe, which has shown each a stimulus.
void check_plan(const config::RunRecord& run, const pipeline::InputFacts& facts, bool probe,
                pipeline::RecordingsReader& recordings, Problems& problems) {
    auto plan = pipeline::make_plan(run, facts, {});
    CommonProblems of_models;
    for (const auto& record : plan.impossible)
        if (!problems.has_reason(record.failure->reason))
            of_models.add(record.model, record.benchmark, record.failure->reason);
    const auto networks = std::stable_partition(
        plan.units.begin(), plan.units.end(),
        [&](const auto& unit) { return has_stored_features(run.models[unit.model]); });
    auto looked_into = plan;
    if (!probe)
        looked_into.units.erase(looked_into.units.begin() + (networks - plan.units.begin()),
                                looked_into.units.end());
    auto estimates = pipeline::estimate_units(run, looked_into, {}, {1e300, 1, 1});
    for (auto u = looked_into.units.size(); u < plan.units.size(); ++u)
        estimates.push_back(stated_estimate(plan.units[u], run, facts, recordings));
    for (const auto& unit : estimates)
        if (const auto problem = untold_problem(unit, run, problems); !problem.empty())
            of_models.add(unit.model, unit.dataset, problem);
    of_models.tell(problems);
    for (const auto& few : pipeline::few_features(run, plan, estimates))
        core::log_warning(few.text);
    for (const auto& text : pipeline::unlike_layers(estimates)) core::log_warning(text);
}

int check(const CheckArguments& arguments) {
    const auto run = read_run_file(arguments.run_file);
    warn_of_records(run);
    const auto facts = pipeline::gather_facts(run, crashing_networks);
    if (arguments.probe) warn_of_layers(run, facts);
    Problems problems;
    for (const auto& [model, about] : facts.models)
        if (about.failure)
            problems.add("model " + model.first +
                         (model.second.empty() ? "" : " on " + model.second) + ": " +
                         about.failure->reason);
    for (const auto& [dataset, about] : facts.datasets)
        if (about.failure) problems.add("dataset " + dataset + ": " + about.failure->reason);
    for (const auto& benchmark : run.benchmarks)
        if (!benchmark.problem.empty())
            problems.add("benchmark " + benchmark.identifier + ": " + benchmark.problem);

    pipeline::RecordingsReader recordings(run);
    const bool with_stimuli = compares_stimuli(arguments, run);
    CommonProblems of_benchmarks;
    for (std::size_t b = 0; b < run.benchmarks.size(); ++b) {
        const auto& benchmark = run.benchmarks[b];
        if (!benchmark.problem.empty() || facts.datasets.at(benchmark.dataset).failure) continue;
        try {
            check_recordings(run, b, recordings, with_stimuli);
        } catch (const std::exception& error) {
            of_benchmarks.add("", benchmark.identifier, error.what());
        }
    }
    of_benchmarks.tell(problems);
    if (arguments.images) check_images(run, facts, recordings, problems);
    problems.from(run.origin,
                  [&] { check_plan(run, facts, arguments.probe, recordings, problems); });
    if (problems.count() > 0) return exit_failed;
    std::set<std::string> models;
    for (const auto& model : run.models) models.insert(model.identifier);
    std::cout << core::counted(models.size(), "model") << ", "
              << core::counted(run.benchmarks.size(), "benchmark") << " and "
              << core::counted(run.datasets.size(), "dataset") << " in order"
              << (arguments.images ? ", every image can be decoded" : "");
    if (has_networks(run))
        std::cout << (arguments.probe
                          ? ", and every network takes a stimulus"
                          : " (--probe also tries each network's layers on a stimulus)");
    std::cout << "\n";
    return exit_done;
}

}  // namespace

Subcommand add_check(CLI::App& app) {
    const auto arguments = std::make_shared<CheckArguments>();
    auto* sub = app.add_subcommand(
        "check", "validate a run: its configuration, its files and their checksums");
    add_run_file_options(*sub, arguments->run_file);
    sub->add_flag("--probe", arguments->probe,
                  "also show one stimulus to each network and look for its layers");
    sub->add_flag("--images", arguments->images, "also decode every image of the stimulus sets");
    return {sub, Ranks::first_only, [arguments](comm::Communicator&) { return check(*arguments); }};
}

}  // namespace ventral::jobs
