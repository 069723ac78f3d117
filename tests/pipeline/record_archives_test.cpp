#include "pipeline/inputs/record_archives.hpp"

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "pipeline/inputs/prepared_archives.hpp"

using namespace ventral;

namespace {

models::ModelRecord some_model() {
    models::ModelRecord model;
    model.identifier = "net";
    model.preprocessing = stimuli::Preprocessing{};
    model.preprocessing->resize_exact = stimuli::Size{3, 4};
    model.regions["V4"] = {"conv1", "conv2"};
    model.pca = models::PcaRecord{50, "images"};
    model.time = models::TimeRecord{2, {{0, 50}, {50, 100}}};
    model.builtin = models::Builtin::hmax;
    model.features_of["day1"] = {"day1.nc", "data"};
    return model;
}

benchmarks::BenchmarkRecord some_benchmark() {
    benchmarks::BenchmarkRecord benchmark;
    benchmark.identifier = "bench";
    benchmark.select = {{"region", {"V4", "IT"}, std::nullopt, 0.5}};
    benchmark.metric.alphas = {1, 10};
    benchmark.expected = {{}};
    return benchmark;
}

core::StimulusSet some_stimuli() {
    return {"set",
            {"a", "b"},
            {"a.png", "b.png"},
            {8, 4},
            {{"label", std::vector<std::string>{"cat", "dog"}},
             {"size", std::vector<double>{1, 0.5}},
             {"half", std::vector<float>{1, 0.5F}},
             {"count", std::vector<std::int64_t>{7, 8}}}};
}

pipeline::PreparedBenchmark some_prepared() {
    pipeline::PreparedBenchmark prepared;
    prepared.plan.targets = stats::Matrix::Zero(4, 3);
    prepared.plan.stimulus_ids = {"a", "b", "c", "d"};
    prepared.plan.folds = {{{0, 1}, {2, 3}}};
    prepared.plan.missing = {{1, 2}};
    prepared.plan.neuroid_order = {2, 0, 1};
    prepared.plan.neuroid_coordinates = {{"region", "neuroid", std::vector<std::string>(3, "V4")}};
    prepared.plan.time_coordinates = {{"start", "time_bin", std::vector<std::int64_t>{70}}};
    prepared.time_bins = {{70, 90}};
    prepared.split_labels["object"] = {"car", "car", "dog", "dog"};
    return prepared;
}

config::RunRecord some_run() {
    config::RunRecord run;
    run.models = {some_model()};
    run.benchmarks = {some_benchmark()};
    run.datasets["data"].assemblies["target"] = {
        "target.nc", "abc", "data", {{"trial", "repetition"}}};
    run.listed_layers["net"] = {{"conv1"}, {"conv1", "conv2"}};
    return run;
}

template <typename T>
T sent(const T& record) {
    return comm::unpack<T>(comm::pack(record));
}

template <typename T>
using Changes = std::vector<std::function<void(T&)>>;

/// A member that does not travel is the same before and after.
template <typename T>
void check_changes(const T& record, const Changes<T>& changes) {
    const auto packed = comm::pack(record);
    CHECK(comm::pack(sent(record)) == packed);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        INFO("change " << i);
        auto changed = record;
        changes[i](changed);
        CHECK(comm::pack(changed) != packed);
        CHECK(comm::pack(sent(changed)) == comm::pack(changed));
    }
}

}  // namespace

TEST_CASE("every member of a model's record reaches the other ranks") {
    check_changes<models::ModelRecord>(
        some_model(), {[](auto& model) { model.identifier = "other"; },
                       [](auto& model) { model.origin = "x.toml"; },
                       [](auto& model) { model.weights_file = "x.ts"; },
                       [](auto& model) { model.weights_sha256 = "abc"; },
                       [](auto& model) { model.features.path = "x.nc"; },
                       [](auto& model) { model.visual_degrees = 6; },
                       [](auto& model) { model.batch_size = 3; },
                       [](auto& model) { model.readout_layer = "logits"; },
                       [](auto& model) { model.candidate_layers = {"conv1"}; },
                       [](auto& model) { model.preprocessing.reset(); },
                       [](auto& model) { model.regions["V4"].pop_back(); },
                       [](auto& model) { model.pca.reset(); },
                       [](auto& model) { model.time.reset(); },
                       [](auto& model) { model.device = "cpu"; },
                       [](auto& model) { model.memory_layout = models::MemoryLayout::contiguous; },
                       [](auto& model) { model.builtin = models::Builtin::pixels; },
                       [](auto& model) { model.require_variance = true; },
                       [](auto& model) { model.features.variable = "data"; },
                       [](auto& model) { model.features_of["day1"].path = "x.nc"; },
                       [](auto& model) { model.features_of["day1"].variable = "x"; },
                       [](auto& model) { model.features_of["day2"]; },
                       [](auto& model) { model.dataset = "day1"; },
                       [](auto& model) { model.problem = "not TOML"; },
                       [](auto& model) { model.pca->components = 51; },
                       [](auto& model) { model.pca->dataset = "others"; },
                       [](auto& model) { model.pca->features.path = "fit.nc"; },
                       [](auto& model) { model.pca->features.variable = "data"; },
                       [](auto& model) { model.time->axis = 1; },
                       [](auto& model) { model.time->bins[1].end_ms = 90; }});
    check_changes<models::ModelRecord>(
        some_model(),
        {[](auto& model) {
             model.preprocessing->backend = stimuli::Preprocessing::Backend::tensor;
         },
         [](auto& model) { model.preprocessing->resize = 256; },
         [](auto& model) { model.preprocessing->resize_exact->height = 5; },
         [](auto& model) { model.preprocessing->resize_exact->width = 5; },
         [](auto& model) { model.preprocessing->crop = 224; },
         [](auto& model) { model.preprocessing->interpolation = stimuli::Interpolation::bicubic; },
         [](auto& model) { model.preprocessing->mean[2] = 0.5F; },
         [](auto& model) { model.preprocessing->standard_deviation[2] = 0.5F; }});
}

TEST_CASE("every member of a benchmark's record reaches the other ranks") {
    check_changes<benchmarks::BenchmarkRecord>(
        some_benchmark(),
        {[](auto& benchmark) { benchmark.identifier = "other"; },
         [](auto& benchmark) { benchmark.origin = "x.toml"; },
         [](auto& benchmark) { benchmark.version = 2; },
         [](auto& benchmark) { benchmark.parent = "V4"; },
         [](auto& benchmark) { benchmark.bibtex = "@article"; },
         [](auto& benchmark) { benchmark.pattern = "other"; },
         [](auto& benchmark) { benchmark.dataset = "data"; },
         [](auto& benchmark) { benchmark.region = "V4"; },
         [](auto& benchmark) { benchmark.select[0].coordinate = "animal"; },
         [](auto& benchmark) { benchmark.select[0].values.pop_back(); },
         [](auto& benchmark) { benchmark.select[0].minimum = 0; },
         [](auto& benchmark) { benchmark.select[0].maximum.reset(); },
         [](auto& benchmark) { benchmark.ceiling.name = "none"; },
         [](auto& benchmark) { benchmark.normalisation = "none"; },
         [](auto& benchmark) {
             benchmark.time_bins = {{70, 90}};
         },
         [](auto& benchmark) { benchmark.dropna = "neuroid"; },
         [](auto& benchmark) { benchmark.number_of_trials = 4; },
         [](auto& benchmark) { benchmark.require_variance = true; },
         [](auto& benchmark) { benchmark.expected.clear(); },
         [](auto& benchmark) { benchmark.expected[0].quantity = benchmarks::Quantity::ceiling; },
         [](auto& benchmark) { benchmark.expected[0].value = 0.5; },
         [](auto& benchmark) { benchmark.expected[0].tolerance = 0.5; },
         [](auto& benchmark) { benchmark.expected[0].model = "net"; },
         [](auto& benchmark) { benchmark.problem = "not TOML"; }});
    check_changes<benchmarks::BenchmarkRecord>(
        some_benchmark(),
        {[](auto& benchmark) { benchmark.metric.name = "pls"; },
         [](auto& benchmark) { benchmark.metric.n_components = 5; },
         [](auto& benchmark) { benchmark.metric.alpha = 2; },
         [](auto& benchmark) { benchmark.metric.alphas.pop_back(); },
         [](auto& benchmark) { benchmark.metric.gram_only = true; },
         [](auto& benchmark) { benchmark.metric.cross_validation.splits = 3; },
         [](auto& benchmark) { benchmark.metric.cross_validation.train_size = 0.5; },
         [](auto& benchmark) { benchmark.metric.cross_validation.test_size = 0.5; },
         [](auto& benchmark) { benchmark.metric.cross_validation.kfold = true; },
         [](auto& benchmark) { benchmark.metric.cross_validation.split_coordinate = "object"; },
         [](auto& benchmark) {
             benchmark.metric.cross_validation.stratification_coordinate.reset();
         },
         [](auto& benchmark) { benchmark.metric.cross_validation.unique_split_values = true; },
         [](auto& benchmark) { benchmark.metric.cross_validation.random_state = 2; }});
}

TEST_CASE("every member of a run's record reaches the other ranks") {
    check_changes<config::RunRecord>(
        some_run(),
        {[](auto& run) { run.origin = "x.toml"; },
         [](auto& run) { run.place = "/x.toml"; },
         [](auto& run) { run.data_folder = "/data"; },
         [](auto& run) { run.models.clear(); },
         [](auto& run) { run.benchmarks.clear(); },
         [](auto& run) { run.datasets.clear(); },
         [](auto& run) { run.layers = config::LayerChoice::all; },
         [](auto& run) { run.listed_layers["net"].pop_back(); },
         [](auto& run) { run.seed = 3; },
         [](auto& run) { run.settings = {"seed=3"}; },
         [](auto& run) { run.left_out = {"b.toml: wrong"}; },
         [](auto& run) { run.datasets["data"].identifier = "data"; },
         [](auto& run) { run.datasets["data"].origin = "d.toml"; },
         [](auto& run) { run.datasets["data"].access = benchmarks::Access::restricted; },
         [](auto& run) { run.datasets["data"].stimuli.csv.path = "s.csv"; },
         [](auto& run) { run.datasets["data"].stimuli.folder = "images"; },
         [](auto& run) { run.datasets["data"].stimuli.visual_degrees = 8; },
         [](auto& run) { run.datasets["data"].assemblies["target"].path = "other.nc"; },
         [](auto& run) { run.datasets["data"].assemblies["target"].sha1 = "abd"; },
         [](auto& run) { run.datasets["data"].assemblies["target"].variable = "other"; },
         [](auto& run) { run.datasets["data"].assemblies["target"].renamed.clear(); }});
}

TEST_CASE(
    "all that a benchmark asks of features reaches the other ranks, but for matrices' values") {
    check_changes<pipeline::PreparedBenchmark>(
        some_prepared(),
        {[](auto& prepared) { prepared.plan.targets = stats::Matrix::Zero(3, 4); },
         [](auto& prepared) { prepared.plan.averages = stats::Matrix::Zero(2, 1); },
         [](auto& prepared) { prepared.plan.stimulus_ids[3] = "e"; },
         [](auto& prepared) { prepared.plan.folds[0].train.push_back(2); },
         [](auto& prepared) { prepared.plan.folds[0].test.pop_back(); },
         [](auto& prepared) { prepared.plan.missing[0].row = 2; },
         [](auto& prepared) { prepared.plan.missing[0].column = 1; },
         [](auto& prepared) { prepared.plan.time_layout = metrics::TimeLayout::beside; },
         [](auto& prepared) { prepared.plan.neuroid_order.pop_back(); },
         [](auto& prepared) { prepared.plan.neuroid_coordinates[0].name = "animal"; },
         [](auto& prepared) { prepared.plan.neuroid_coordinates[0].dim = "unit"; },
         [](auto& prepared) { prepared.plan.neuroid_coordinates.clear(); },
         [](auto& prepared) { prepared.plan.single_split = true; },
         [](auto& prepared) { prepared.plan.whole = true; },
         [](auto& prepared) { prepared.plan.ResultShape::time_bins = 3; },
         [](auto& prepared) { prepared.plan.time_coordinates.clear(); }});
    check_changes<pipeline::PreparedBenchmark>(
        some_prepared(), {[](auto& prepared) { prepared.time_bins[0].end_ms = 110; },
                          [](auto& prepared) { prepared.split_labels["object"].pop_back(); },
                          [](auto& prepared) { prepared.part_of_stimuli = true; },
                          [](auto& prepared) { prepared.read_bytes = 7; },
                          [](auto& prepared) { prepared.beside_bytes = 7; },
                          [](auto& prepared) { prepared.target_bytes = 7; }});
}

TEST_CASE("every member of a stimulus set reaches the other ranks, columns of any type") {
    check_changes<core::StimulusSet>(some_stimuli(),
                                     {[](auto& stimuli) { stimuli.identifier = "other"; },
                                      [](auto& stimuli) { stimuli.stimulus_ids[1] = "c"; },
                                      [](auto& stimuli) { stimuli.files[1] = "c.png"; },
                                      [](auto& stimuli) { stimuli.visual_degrees[1] = 5; },
                                      [](auto& stimuli) { stimuli.columns.pop_back(); },
                                      [](auto& stimuli) { stimuli.columns[0].name = "kind"; }});
    const auto columns = sent(some_stimuli()).columns;
    REQUIRE(columns.size() == 4);
    for (std::size_t i = 0; i < columns.size(); ++i)
        CHECK(columns[i].values == some_stimuli().columns[i].values);
}
