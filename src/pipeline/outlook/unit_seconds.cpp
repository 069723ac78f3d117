#include "pipeline/outlook/unit_seconds.hpp"

#include <algorithm>
#include <set>

#include "core/ceil_divide.hpp"

namespace ventral::pipeline {
namespace {

/// Of one batch in one trial.
double batch_seconds(const UnitWork& work, const Machine& machine) {
    if (machine.probed_here || !(work.network_flops > 0)) return work.batch_seconds;
    std::size_t batches = 0;
    for (const auto& pass : work.passes) batches += pass.batches * pass.trials;
    return work.network_flops / static_cast<double>(batches) /
           machine.calibration.together.convolution_flops;
}

double trial_seconds(const UnitWork& work, const Machine& machine) {
    const auto& pass = work.passes.front();
    const double images_per_batch =
        static_cast<double>(pass.images) / static_cast<double>(pass.batches);
    return machine.calibration.process_seconds + work.trial_loads * work.load_seconds +
           work.trial_images / images_per_batch * batch_seconds(work, machine);
}

double pass_seconds(const NetworkPass& pass, const UnitWork& work, const Machine& machine) {
    const std::size_t workers = machine.ranks * machine.threads;
    const std::size_t rounds = core::ceil_divide(pass.batches, workers);
    const double images = static_cast<double>(pass.images) / static_cast<double>(pass.batches);
    const double round = static_cast<double>(pass.trials) * batch_seconds(work, machine) +
                         images * work.image_seconds;
    return work.load_seconds + static_cast<double>(rounds) * round;
}

}  // namespace

UnitSeconds& UnitSeconds::operator+=(const UnitSeconds& more) {
    extract += more.extract;
    gram += more.gram;
    fit += more.fit;
    disk += more.disk;
    return *this;
}

void share_trials(const config::RunRecord& run, const RunPlan& plan, std::size_t at_once,
                  std::vector<UnitWork>& work) {
    std::set<std::size_t> networks;
    std::vector<UnitWork*> first_of_each;
    for (std::size_t u = 0; u < work.size(); ++u) {
        const auto model = plan.units[u].model;
        if (!work[u].passes.empty() && !run.models[model].builtin && networks.insert(model).second)
            first_of_each.push_back(&work[u]);
    }
    const std::size_t rounds = core::ceil_divide(networks.size(), at_once);
    for (auto* unit : first_of_each)
        unit->network_trials = static_cast<double>(rounds) / static_cast<double>(networks.size());
}

UnitSeconds unit_seconds(const UnitWork& work, const Machine& machine) {
    const auto& rate = machine.calibration;
    const std::size_t workers = machine.ranks * machine.threads;
    UnitSeconds seconds;
    if (work.network_trials > 0)
        seconds.extract = work.network_trials * trial_seconds(work, machine);
    for (const auto& pass : work.passes) seconds.extract += pass_seconds(pass, work, machine);
    seconds.gram = work.gram_flops / (rate.together.gram_flops * static_cast<double>(workers));
    if (work.fold_groups > 0)
        seconds.fit =
            (work.fits.products / rate.together.product_flops +
             work.fits.passes / rate.together.pass_flops) /
                static_cast<double>(std::min(workers, work.fold_groups)) +
            work.fits.shared / (rate.together.product_flops * static_cast<double>(machine.threads));
    const double buffering =
        work.activation_bytes / (rate.buffered_bytes * static_cast<double>(workers));
    const double behind = work.activation_bytes / rate.written_bytes - seconds.extract - buffering;
    seconds.disk = work.read_bytes / rate.read_bytes +
                   (work.written_bytes - work.activation_bytes) / rate.written_bytes + buffering +
                   std::max(0.0, behind);
    return seconds;
}

}  // namespace ventral::pipeline
