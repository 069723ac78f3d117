#include "pipeline/inputs/keys.hpp"

#include "core/hash.hpp"
#include "io/netcdf/packing.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/registered_metrics.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/layer_pca.hpp"
#include "stimuli/microsaccades.hpp"

namespace ventral::pipeline {
namespace {

void add_optional(core::KeyBuilder& key, const char* name, const std::optional<double>& value) {
    if (value) key.add(name, *value);
}

void add_metric_parameters(core::KeyBuilder& key, const metrics::MetricOptions& metric) {
    const auto& split = metric.cross_validation;
    key.add("n_components", static_cast<std::int64_t>(metric.n_components))
        .add("alpha", metric.alpha)
        .add("splits", static_cast<std::int64_t>(split.splits))
        .add("kfold", std::int64_t{split.kfold})
        .add("split coordinate", split.split_coordinate)
        .add("stratified", std::int64_t{split.stratification_coordinate.has_value()})
        .add("stratification", split.stratification_coordinate.value_or(""))
        .add("unique", std::int64_t{split.unique_split_values})
        .add("random_state", std::int64_t{split.random_state});
    for (const double alpha : metric.alphas) key.add("alphas", alpha);
    if (metric.gram_only) key.add("form", "gram");
    add_optional(key, "train_size", split.train_size);
    add_optional(key, "test_size", split.test_size);
}

void add_metric(core::KeyBuilder& key, const metrics::MetricOptions& metric) {
    key.add("metric", metric.name)
        .add("metric version", std::int64_t{metrics::find_metric(metric.name).version});
    add_metric_parameters(key, metric);
}

void add_assemblies(core::KeyBuilder& key,
                    const std::map<std::string, std::string>& assembly_keys) {
    for (const auto& [role, hash] : assembly_keys) key.add("assembly " + role, hash);
}

/// The part of the recordings that the benchmark is about.
void add_selection(core::KeyBuilder& key, const benchmarks::BenchmarkRecord& benchmark) {
    for (const auto& condition : benchmark.select) {
        key.add("select", condition.coordinate);
        for (const auto& value : condition.values) key.add("is", value);
        add_optional(key, "at least", condition.minimum);
        add_optional(key, "at most", condition.maximum);
    }
    for (const auto& [start, end] : benchmark.time_bins) key.add("start", start).add("end", end);
    if (!benchmark.dropna.empty()) key.add("dropna", benchmark.dropna);
}

void add_recordings(core::KeyBuilder& key, const benchmarks::BenchmarkRecord& benchmark,
                    const std::map<std::string, std::string>& assembly_keys,
                    const std::string& stimuli) {
    add_assemblies(key, assembly_keys);
    key.add("unpacking version", std::int64_t{io::unpacking_version});
    key.add("stimuli", stimuli);
    add_selection(key, benchmark);
}

void add_ceiling(core::KeyBuilder& key, const metrics::CeilingOptions& ceiling) {
    key.add("ceiling", ceiling.name);
    if (!ceiling.is_none())
        key.add("ceiling version", std::int64_t{metrics::find_ceiling(ceiling.name).version});
}

/// The versions of all stages that a score goes through.
std::string stages(const benchmarks::BenchmarkRecord& benchmark) {
    const auto version = [](const std::string& stage, int number) {
        return stage + " " + std::to_string(number);
    };
    std::string text =
        version("score", score_version) + ", " + version("unpacking", io::unpacking_version) +
        ", " + version("gram", stats::gram_version) + ", " +
        version(benchmark.metric.name, metrics::find_metric(benchmark.metric.name).version);
    if (!benchmark.ceiling.is_none())
        text += ", " + version(benchmark.ceiling.name,
                               metrics::find_ceiling(benchmark.ceiling.name).version);
    return text;
}

std::string short_key(const core::KeyBuilder& key) {
    constexpr std::size_t digits = 16;
    return key.key().substr(0, digits);
}

}  // namespace

std::string device_of(const models::ModelRecord& model) {
    if (has_stored_features(model)) return {};
    return models::device_kind(model.device, models::visible_gpus(), model.origin);
}

std::string model_key(const models::ModelRecord& model, const std::string& weights_hash) {
    core::KeyBuilder key;
    key.add("weights", weights_hash);
    if (!model.features.variable.empty()) key.add("variable", model.features.variable);
    if (has_stored_features(model))
        return key.add("kind", "stored")
            .add("unpacking version", std::int64_t{io::unpacking_version})
            .key();
    key.add("extract version", std::int64_t{extract_version})
        .add("degrees", model.visual_degrees)
        .add("batch", static_cast<std::int64_t>(model.batch_size))
        .add("layout", std::int64_t{static_cast<int>(model.memory_layout)})
        .add("device", device_of(model));
    if (device_of(model) != "cpu") key.add("GPU version", std::int64_t{gpu_extract_version});
    if (model.preprocessing) key.add("preprocessing", stimuli::description(*model.preprocessing));
    if (!model.time) return key.key();
    key.add("time axis", static_cast<std::int64_t>(model.time->axis));
    for (const auto& bin : model.time->bins) key.add("start", bin.start_ms).add("end", bin.end_ms);
    return in_time_key(key.key());
}

std::string assembly_key(const std::string& variable, const std::string& file_hash,
                         const std::map<std::string, std::string>& renamed) {
    if (variable.empty() && renamed.empty()) return file_hash;
    core::KeyBuilder key;
    key.add("file", file_hash).add("variable", variable);
    for (const auto& [from, to] : renamed) key.add("rename", from).add("to", to);
    return key.key();
}

std::string stimuli_key(const core::StimulusSet& stimuli, const std::function<void()>& on_block) {
    core::KeyBuilder key;
    for (std::size_t i = 0; i < stimuli.stimulus_ids.size(); ++i)
        key.add("id", stimuli.stimulus_ids[i])
            .add("image", core::sha256_of_file(stimuli.files[i], on_block))
            .add("degrees", stimuli.visual_degrees[i]);
    return key.key();
}

std::string activations_key(const std::string& model, const std::string& stimuli,
                            std::size_t trials) {
    core::KeyBuilder key;
    key.add("model", model).add("stimuli", stimuli);
    if (trials > 1)
        key.add("trials", static_cast<std::int64_t>(trials))
            .add("microsaccades version", std::int64_t{stimuli::microsaccades_version});
    return key.key();
}

std::string projection_key(const models::ModelRecord& model, const std::string& fitted) {
    if (!model.pca) return {};
    return core::KeyBuilder()
        .add("layer PCA version", std::int64_t{stats::layer_pca_version})
        .add("gram version", std::int64_t{stats::gram_version})
        .add("components", static_cast<std::int64_t>(model.pca->components))
        .add(has_stored_features(model) ? "features" : "stimuli", fitted)
        .key();
}

std::string ceiling_key(const benchmarks::BenchmarkRecord& benchmark,
                        const std::map<std::string, std::string>& assembly_keys,
                        const std::string& stimuli) {
    core::KeyBuilder key;
    add_ceiling(key, benchmark.ceiling);
    add_recordings(key, benchmark, assembly_keys, stimuli);
    return key.key();
}

std::string score_key(const ScoreIdentity& identity, const benchmarks::BenchmarkRecord& benchmark,
                      const std::map<std::string, std::string>& assembly_keys,
                      const std::string& stimuli) {
    core::KeyBuilder key;
    key.add("score version", std::int64_t{score_version})
        .add("gram version", std::int64_t{stats::gram_version})
        .add("model", identity.model)
        .add("activations", identity.activations)
        .add("seed", identity.seed);
    if (!identity.projection.empty()) key.add("projection", identity.projection);
    if (identity.access == benchmarks::Access::restricted) key.add("access", "private");
    for (const auto& layer : identity.layers) key.add("layer", layer);
    key.add("benchmark", benchmark.identifier)
        .add("version", std::int64_t{benchmark.version})
        .add("normalisation", benchmark.normalisation);
    add_metric(key, benchmark.metric);
    add_ceiling(key, benchmark.ceiling);
    add_recordings(key, benchmark, assembly_keys, stimuli);
    return key.key();
}

std::string in_time_key(const std::string& model) {
    return core::KeyBuilder()
        .add("model", model)
        .add("time bins version", std::int64_t{time_bins_version})
        .key();
}

std::string in_time_bins_key(const std::string& activations, const core::TimeBins& bins) {
    if (bins.empty()) return activations;
    core::KeyBuilder key;
    key.add("activations", activations);
    for (const auto& [start, end] : bins) key.add("start", start).add("end", end);
    return key.key();
}

std::map<std::string, std::string> score_parts(
    const ScoreIdentity& identity, const benchmarks::BenchmarkRecord& benchmark,
    const std::map<std::string, std::string>& assembly_keys, const std::string& stimuli) {
    core::KeyBuilder recordings, selection, metric;
    add_assemblies(recordings, assembly_keys);
    add_selection(selection, benchmark);
    add_metric_parameters(metric.add("metric", benchmark.metric.name), benchmark.metric);
    std::map<std::string, std::string> parts = {
        {"activations", identity.activations}, {"seed", std::to_string(identity.seed)},
        {"stimuli", stimuli.substr(0, 16)},    {"recordings", short_key(recordings)},
        {"selection", short_key(selection)},   {"metric", short_key(metric)},
        {"ceiling", benchmark.ceiling.name},   {"stages", stages(benchmark)}};
    if (!identity.projection.empty()) parts["projection"] = identity.projection;
    if (identity.access == benchmarks::Access::restricted) parts["access"] = "private";
    return parts;
}

std::string activations_prefix(const std::string& activations, const std::string& fingerprint) {
    return core::KeyBuilder().add("activations", activations).add("on", fingerprint).key();
}

std::string gram_key(const std::string& activations, const std::string& projection,
                     const std::string& layer, const std::string& fingerprint,
                     const core::TimeBins& bins) {
    const auto features = projection.empty() ? activations
                                             : core::KeyBuilder()
                                                   .add("activations", activations)
                                                   .add("projection", projection)
                                                   .key();
    return checkpoint_key(in_time_bins_key(features, bins), layer, fingerprint);
}

std::string projected_layer_key(const std::string& activations, const std::string& projection,
                                const std::string& layer, const std::string& fingerprint) {
    return core::KeyBuilder()
        .add("projection", projection)
        .add("activations", activations_prefix(activations, fingerprint))
        .add("layer", layer)
        .key();
}

std::string checkpoint_key(const std::string& stage_key, const std::string& layer,
                           const std::string& fingerprint) {
    return core::KeyBuilder()
        .add("stage", stage_key)
        .add("gram version", std::int64_t{stats::gram_version})
        .add("layer", layer)
        .add("fingerprint", fingerprint)
        .key();
}

}  // namespace ventral::pipeline
