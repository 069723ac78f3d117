#include "pipeline/fit/unit_activations.hpp"

#include <chrono>
#include <new>

#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/seconds_since.hpp"
#include "io/disk/entries_of.hpp"
#include "io/input_file.hpp"
#include "io/out_folder.hpp"
#include "pipeline/extraction/extract.hpp"
#include "pipeline/extraction/unrecordable_layers.hpp"
#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "pipeline/schedule/agreed_failure.hpp"

namespace ventral::pipeline {
namespace {

/// The name alone does not say what is in it.
void require_key(const io::ActivationsFile& file, const std::string& path, const std::string& key) {
    if (file.key() != key)
        throw core::InputError(path + ": holds the activations of another model or other stimuli");
}

std::size_t features_of(const io::ActivationsFile& file, const std::string& layer) {
    if (const auto* found = file.find(layer)) return io::feature_count(*found);
    throw core::InputError("the activations have no layer '" + layer + "'");
}

/// Those with names that begin so.
std::vector<std::string> activation_files(const std::string& out, const std::string& prefix) {
    std::vector<std::string> paths;
    for (const auto& path : io::entries_of(io::activations_folder(out)))
        if (prefix_in_name(path) == prefix) paths.push_back(path.string());
    return paths;
}

}  // namespace

UnitActivations::UnitActivations(const PlannedUnit& unit, const UnitInputs& inputs,
                                 TeamContext& context, ActivationsInUse& in_use)
    : unit_(unit),
      inputs_(inputs),
      context_(context),
      in_use_(in_use),
      prefix_(activations_prefix(unit.key, context.fingerprint)) {}

LayerColumns UnitActivations::columns(const std::string& layer) const {
    return comm::from_first_rank<LayerColumns>(context_.team, [&] {
        return LayerColumns{path_, layer, false, features_of(*file_, layer), {}, {}, unit_.trials};
    });
}

std::string UnitActivations::find(const std::string& layer) {
    const auto time = context_.time(Stage::io);
    for (const auto& path : activation_files(context_.out, prefix_)) {
        if (damaged_paths_.count(path) || !in_use_.add(path)) continue;
        try {
            const io::ActivationsFile file(path);
            require_key(file, path, unit_.key);
            if (!file.find(layer)) continue;
            if (path != written_path_ && verified_.emplace(path, layer).second)
                file.verify(layer, [&] { context_.got_on(); });
            return path;
        } catch (const core::InputError& error) {
            damaged_paths_.insert(path);
            in_use_.release(path);
            core::log_warning(std::string(error.what()) + "; it is not used");
        }
    }
    return {};
}

void UnitActivations::open(const std::string& layer, const LayersOfPass& layers_of_pass) {
    bool is_open = false;  // as the first rank knows
    auto path = comm::from_first_rank<std::string>(context_.team, [&] {
        is_open = file_ && in_use_.is_there(path_) && file_->find(layer) &&
                  (path_ == written_path_ || verified_.count({path_, layer}) > 0);
        return is_open ? path_ : find(layer);
    });
    if (path.empty()) {
        file_.reset();
        check_recordable(layer);
        extract_or_remember(
            comm::from_first_rank<std::vector<std::string>>(context_.team, layers_of_pass));
        check_recordable(layer);
        path = written_path_;
    }
    path_ = path;
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads() || is_open) return;
        if (!in_use_.add(path)) throw_removed(path);
        file_.emplace(path, io::ReadAgain::no);
        file_->use_threads(context_.workers.threads());
    });
}

bool UnitActivations::is_unrecordable(const std::string& layer) const {
    return unrecordable_.count(layer) > 0;
}

void UnitActivations::check_recordable(const std::string& layer) {
    comm::run_collectively(context_.team, [&] {
        const auto bad = unrecordable_.find(layer);
        if (bad == unrecordable_.end()) return;
        throw core::KnownFailure(bad->second);
    });
}

bool UnitActivations::is_recorded(const std::string& layer) const {
    for (const auto& path : activation_files(context_.out, prefix_)) {
        if (damaged_paths_.count(path)) continue;
        try {
            const io::ActivationsFile file(path);
            if (file.key() == unit_.key && file.find(layer)) return true;
        } catch (const core::InputError&) {
            // Whoever wants its layers will say so.
        }
    }
    return false;
}

/// What one pass of the network could not do, the next will not do either.
void UnitActivations::extract_or_remember(const std::vector<std::string>& layers) {
    const auto remember = [&](const std::exception& error) {
        for (const auto& layer : layers) unrecordable_.emplace(layer, core::failure_of(error));
    };
    try {
        extract_layers(layers);
    } catch (const core::KnownFailure& error) {
        remember(error);
        throw;
    } catch (const core::InputError& error) {
        remember(error);
        throw;
    } catch (const std::bad_alloc& error) {
        remember(error);
        throw;
    }
}

void UnitActivations::require_inputs_of_pass() const {
    if (!context_.leads() || !inputs_.truth) return;
    const auto& model = inputs_.run.models[unit_.model];
    if (!model.builtin) inputs_.truth->require_file(model.weights_file);
    try {
        inputs_.truth->require_stimuli(unit_.dataset, inputs_.recordings.stimuli(unit_.dataset));
    } catch (const core::InputError& error) {
        if (inputs_.run.datasets.at(unit_.dataset).access == benchmarks::Access::open) throw;
        core::throw_again(error, "the images of dataset '" + unit_.dataset +
                                     "' are not what they were when the run began (details are "
                                     "withheld: its access is private) run again");
    }
}

/// Of other weights or images than the plan's, what a pass gives must not get their name, nor is
/// what goes wrong theirs.
void UnitActivations::extract_layers(const std::vector<std::string>& layers) {
    const auto require_inputs = [&] {
        comm::run_collectively(context_.team, [&] { require_inputs_of_pass(); });
    };
    const auto time = context_.time(Stage::extract);
    const auto start = std::chrono::steady_clock::now();
    require_inputs();
    try {
        inputs_.network_trials.require(unit_.model, context_);
        extract_recordable(layers);
    } catch (const comm::CollectiveError&) {
        require_inputs();
        throw;
    } catch (const core::InputError&) {
        if (context_.team.size() == 1) require_inputs();
        throw;
    }
    seconds_ += core::seconds_since(start);
    if (context_.checkpointed) context_.checkpointed();
}

void UnitActivations::extract_recordable(std::vector<std::string> layers) {
    const auto& model = inputs_.run.models[unit_.model];
    const core::StimulusSet* stimuli = nullptr;
    comm::run_collectively(context_.team,
                           [&] { stimuli = &inputs_.recordings.stimuli(unit_.dataset); });
    for (bool second_try = false;; second_try = true) {
        if (layers.empty()) return;
        const auto path = activations_path(context_.out, prefix_, layers);
        try {
            ExtractRequest request{model,       *stimuli,
                                   layers,      unit_.key,
                                   path,        inputs_.run.datasets.at(unit_.dataset).access,
                                   unit_.trials};
            request.check_inputs = [&] { require_inputs_of_pass(); };
            extract(request, context_);
            written_path_ = path;
            damaged_paths_.erase(path);
            return;
        } catch (const std::runtime_error& error) {
            // Perhaps single layers are at fault: the others can still be had.
            const bool may_be_layers = agreed_failure(error, context_.team).failure_class ==
                                       core::FailureClass::deterministic;
            if (second_try || !may_be_layers) throw;
            comm::run_collectively(context_.team, [&] { require_inputs_of_pass(); });
            const std::size_t tried = layers.size();
            forget_unrecordable(layers);
            if (layers.size() == tried) throw;
        }
    }
}

void UnitActivations::forget_unrecordable(std::vector<std::string>& layers) {
    using Reasons = std::map<std::string, std::string>;
    const auto reasons = comm::from_first_rank<Reasons>(context_.team, [&] {
        return unrecordable_layers(inputs_.run.models[unit_.model],
                                   inputs_.recordings.stimuli(unit_.dataset), layers);
    });
    for (const auto& [layer, reason] : reasons)
        unrecordable_.emplace(layer, core::Failure{core::FailureClass::deterministic, reason});
    std::erase_if(layers, [&](const auto& layer) { return reasons.contains(layer); });
}

}  // namespace ventral::pipeline
