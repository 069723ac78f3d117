#include "support/small_run.hpp"

#include <algorithm>

#include "core/portable_random.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::test {
namespace {

constexpr std::size_t narrow_features = 30;
constexpr std::size_t wide_features = 90;
constexpr std::size_t all_features = narrow_features + wide_features;

std::string numbered(const std::string& prefix, std::size_t number) {
    return prefix + (number < 10 ? "0" : "") + std::to_string(number);
}

/// Stimulus × feature.
std::vector<float> feature_table() {
    core::PortableRandom random(5);
    std::vector<float> table(small_stimuli * all_features);
    std::generate(table.begin(), table.end(),
                  [&] { return static_cast<float>(random.uniform(-1, 1)); });
    return table;
}

}  // namespace

core::Assembly small_features() {
    const auto table = feature_table();
    std::vector<float> values;
    std::vector<std::string> ids;
    for (std::size_t i = small_stimuli; i-- > 0;) {
        const auto row = table.begin() + static_cast<std::ptrdiff_t>(i * all_features);
        values.insert(values.end(), row, row + all_features);
        ids.push_back(numbered("s", i));
    }
    std::vector<std::string> layers(narrow_features, narrow_layer);
    layers.insert(layers.end(), wide_features, wide_layer);
    core::Assembly features;
    features.dims = {{"presentation", small_stimuli}, {"neuroid", all_features}};
    features.values = values;
    features.coordinates = {{"stimulus_id", "presentation", ids}, {"layer", "neuroid", layers}};
    return features;
}

core::Assembly small_recordings() {
    const auto table = feature_table();
    core::PortableRandom random(6);
    std::vector<double> values;
    std::vector<std::string> ids;
    std::vector<std::int64_t> repetitions;
    for (std::size_t r = 0; r < small_repetitions; ++r)
        for (std::size_t i = 0; i < small_stimuli; ++i) {
            for (std::size_t j = 0; j + 1 < small_neuroids; ++j) {
                const double signal =
                    static_cast<double>(table[i * all_features + j]) +
                    static_cast<double>(table[i * all_features + narrow_features + j]);
                values.push_back(signal + random.uniform(-0.5, 0.5));
            }
            values.push_back(7);
            ids.push_back(numbered("s", i));
            repetitions.push_back(static_cast<std::int64_t>(r));
        }
    core::Assembly recordings;
    recordings.dims = {{"presentation", ids.size()}, {"neuroid", small_neuroids}};
    recordings.values = values;
    recordings.coordinates = {
        {"stimulus_id", "presentation", ids},
        {"repetition", "presentation", repetitions},
        {"neuroid_id", "neuroid", std::vector<std::string>{"n0", "n1", "n2", "n3", "n4", "n5"}},
        {"region", "neuroid", std::vector<std::string>{"V4", "V4", "IT", "IT", "IT", "IT"}}};
    return recordings;
}

benchmarks::BenchmarkRecord small_benchmark(const std::string& metric) {
    benchmarks::BenchmarkRecord benchmark;
    benchmark.identifier = "small-" + metric;
    benchmark.origin = "small.toml";
    benchmark.parent = "small";
    benchmark.dataset = "small";
    benchmark.region = "IT";
    benchmark.metric.name = metric;
    benchmark.metric.n_components = 5;
    benchmark.metric.cross_validation.train_size = 0.75;
    benchmark.metric.cross_validation.stratification_coordinate.reset();
    return benchmark;
}

void write_small_data(const std::string& folder) {
    io::write_assembly(folder + "/features.nc", small_features());
    io::write_assembly(folder + "/recordings.nc", small_recordings());
}

config::RunRecord small_run(const std::string& folder) {
    models::ModelRecord model;
    model.identifier = "stored";
    model.origin = "stored.toml";
    model.features.path = folder + "/features.nc";
    benchmarks::DatasetRecord dataset;
    dataset.identifier = "small";
    dataset.origin = "dataset.toml";
    dataset.assemblies["repetitions"] = {folder + "/recordings.nc", ""};
    config::RunRecord run;
    run.origin = "run.toml";
    run.models = {model};
    run.benchmarks = {small_benchmark("pls"), small_benchmark("ridge")};
    run.datasets["small"] = dataset;
    run.layers = config::LayerChoice::candidates;
    return run;
}

}  // namespace ventral::test
