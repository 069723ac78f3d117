#include "plan_cost.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/counted.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/where_and_when.hpp"
#include "network_trial.hpp"
#include "pipeline/extraction/network_trials.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/outlook/calibrate.hpp"

namespace ventral::jobs {
namespace {

using Json = nlohmann::ordered_json;

std::string flops_text(double flops) {
    constexpr std::array<const char*, 6> prefixes = {"", "k", "M", "G", "T", "P"};
    std::size_t step = 0;
    for (; flops >= 999.5 && step + 1 < prefixes.size(); ++step) flops /= 1000;
    return core::rounded_text(flops) + " " + prefixes[step] + "flop";
}

std::string text_of(const pipeline::Work& work, const pipeline::UnitSeconds& seconds) {
    return flops_text(work.flops()) + " (network " + flops_text(work.network_flops) +
           (!work.passes.empty() && !(work.network_flops > 0) ? " known" : "") + ", Gram " +
           flops_text(work.gram_flops) + ", fits " + flops_text(work.fits.total()) + "), " +
           core::duration_text(seconds.total()) + " (extract " +
           core::duration_text(seconds.extract) + ", Gram " + core::duration_text(seconds.gram) +
           ", fits " + core::duration_text(seconds.fit) + ", disk " +
           core::duration_text(seconds.disk) + "), reads " + core::bytes_text(work.read_bytes) +
           ", writes " + core::bytes_text(work.written_bytes);
}

Json json_of(const pipeline::Work& work, const pipeline::UnitSeconds& seconds) {
    return {{"images", work.images()},
            {"network_flops", work.network_flops},
            {"gram_flops", work.gram_flops},
            {"fit_flops", work.fits.total()},
            {"fold_groups", work.fold_groups},
            {"read_bytes", work.read_bytes},
            {"written_bytes", work.written_bytes},
            {"seconds",
             {{"extract", seconds.extract},
              {"gram", seconds.gram},
              {"fit", seconds.fit},
              {"disk", seconds.disk},
              {"total", seconds.total()}}}};
}

std::pair<pipeline::Work, pipeline::UnitSeconds> sum(const PlanCost& cost) {
    pipeline::Work work;
    pipeline::UnitSeconds seconds;
    for (const auto& each : cost.work) work += each;
    for (const auto& each : cost.seconds) seconds += each;
    return {work, seconds};
}

KnownMachine machine_of(const pipeline::NodeSize& node, pipeline::Calibration calibration,
                        std::string path) {
    const bool here = calibration.host.empty() || calibration.host == core::host_name();
    return {{node.ranks, node.threads, std::move(calibration), here}, std::move(path)};
}

}  // namespace

KnownMachine known_machine(const std::string& out, const pipeline::NodeSize& node) {
    std::vector<std::string> places;
    if (!out.empty()) places.push_back(out);
    places.push_back("");
    for (const auto& place : places) {
        try {
            const auto path = pipeline::calibration_path(place);
            if (auto calibration = pipeline::read_calibration(path))
                return machine_of(node, std::move(*calibration), path);
        } catch (const core::InputError&) {
            // Without a home there is no cache to look into.
        }
    }
    return machine_of(node, {}, "");
}

KnownMachine measured_machine(const std::string& out, const pipeline::NodeSize& node) {
    const auto path = pipeline::calibration_path(out);
    const auto folder = out.empty() ? std::filesystem::temp_directory_path().string() : out;
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    core::Workers workers(node.ranks * node.threads);
    auto calibration = pipeline::calibrate(workers, folder, process_start_seconds());
    pipeline::write_calibration(path, calibration);
    core::log_info("calibration: a worker of " + std::to_string(workers.threads()) +
                   " does Grams " + flops_text(calibration.together.gram_flops) + "/s, products " +
                   flops_text(calibration.together.product_flops) + "/s, passes " +
                   flops_text(calibration.together.pass_flops) + "/s, convolutions " +
                   flops_text(calibration.together.convolution_flops) + "/s; the disk of " +
                   folder + " writes " + core::bytes_text(calibration.written_bytes) +
                   "/s, reads " + core::bytes_text(calibration.read_bytes) +
                   "/s, is given activations at " + core::bytes_text(calibration.buffered_bytes) +
                   "/s; stored in " + path);
    return machine_of(node, std::move(calibration), path);
}

PlanCost plan_cost(const pipeline::RunPlan& plan,
                   const std::vector<pipeline::UnitEstimate>& estimates,
                   const pipeline::WorkInputs& inputs, pipeline::Keep grams, KnownMachine known) {
    PlanCost cost{std::move(known), {}, {}};
    // Models of the same weights and preprocessing share their activations and Grams.
    pipeline::Checkpoints expected = inputs.checkpoints;
    const pipeline::WorkInputs in_turn{inputs.run, inputs.facts, inputs.finished, expected,
                                       inputs.recordings};
    for (std::size_t u = 0; u < plan.units.size(); ++u) {
        const bool was_probed = !estimates[u].layers.empty() && estimates[u].memory_bytes > 0;
        const bool is_taken = was_probed && estimates[u].can_run && estimates[u].left_out.empty();
        cost.work.push_back(is_taken ? pipeline::unit_work(plan.units[u], estimates[u], in_turn)
                                     : pipeline::UnitWork{});
        const auto& work = cost.work.back();
        expected.expect_activations(plan.units[u].key, work.extracted);
        if (grams == pipeline::Keep::discard) continue;
        for (const auto& [key, bytes] : work.gram_files) expected.expect_gram(key);
    }
    const auto& machine = cost.known.machine;
    pipeline::share_trials(inputs.run, plan,
                           pipeline::trials_at_once(machine.ranks, machine.threads), cost.work);
    for (const auto& work : cost.work)
        cost.seconds.push_back(pipeline::unit_seconds(work, machine));
    return cost;
}

void record_estimates(const std::string& out, const pipeline::RunPlan& plan,
                      const std::vector<pipeline::UnitEstimate>& estimates, const PlanCost& cost) {
    pipeline::RunJournal journal(out, "plan", "");
    for (std::size_t u = 0; u < plan.units.size(); ++u)
        if (estimates[u].problem.empty() && estimates[u].left_out.empty() &&
            !estimates[u].stages.empty())
            journal.estimate({plan.units[u].id, estimates[u].rank_bytes, cost.seconds[u].total()});
    journal.flush();
}

std::string unit_text(const PlanCost& cost, std::size_t unit) {
    return text_of(cost.work[unit], cost.seconds[unit]);
}

std::string total_text(const PlanCost& cost) {
    const auto [work, seconds] = sum(cost);
    const auto& machine = cost.known.machine;
    return "left to do: " + text_of(work, seconds) + " with " +
           core::counted(machine.ranks, "rank") + " × " + core::counted(machine.threads, "thread") +
           " (" +
           (cost.known.path.empty()
                ? "seconds from guessed rates: ventral plan --calibrate measures them"
                : "rates of " + machine.calibration.host + ", " + cost.known.path) +
           ")";
}

void add_cost(nlohmann::ordered_json& json, const PlanCost& cost, std::size_t unit) {
    json["work"] = json_of(cost.work[unit], cost.seconds[unit]);
}

void add_total(nlohmann::ordered_json& json, const PlanCost& cost) {
    const auto [work, seconds] = sum(cost);
    json["work"] = json_of(work, seconds);
    const auto& calibration = cost.known.machine.calibration;
    json["calibration"] = {{"path", cost.known.path},
                           {"host", calibration.host},
                           {"measured_at", calibration.measured_at},
                           {"guessed", cost.known.path.empty()}};
}

}  // namespace ventral::jobs
