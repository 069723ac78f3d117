#include "pipeline/inputs/keys.hpp"

#include <fstream>
#include <functional>
#include <set>

#include <catch2/catch.hpp>

#include "models/runtime/torch_runtime.hpp"
#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using benchmarks::BenchmarkRecord;
using models::ModelRecord;

namespace {

const std::map<std::string, std::string> recordings = {{"repetitions", "hash"}};

std::string score_key_of(const BenchmarkRecord& benchmark) {
    return pipeline::score_key({"model", "activations", {"layer"}, 0}, benchmark, recordings,
                               "stimuli");
}

/// The key after `change`, which must differ from the one before if and only if it says so.
void check_score_key(bool changes, const std::function<void(BenchmarkRecord&)>& change) {
    auto benchmark = test::small_benchmark("pls");
    const auto before = score_key_of(benchmark);
    change(benchmark);
    CHECK((score_key_of(benchmark) != before) == changes);
}

std::string ceiling_key_of(const BenchmarkRecord& benchmark) {
    return pipeline::ceiling_key(benchmark, recordings, "stimuli");
}

ModelRecord network() {
    ModelRecord model;
    model.identifier = "network";
    model.origin = "net.toml";
    model.weights_file = "weights.ts";
    model.preprocessing.emplace();
    model.preprocessing->resize = 64;
    return model;
}

}  // namespace

TEST_CASE("a score's key changes with everything in its benchmark that changes the score") {
    check_score_key(true, [](auto& b) { b.identifier = "other"; });
    check_score_key(true, [](auto& b) { b.version = 2; });
    check_score_key(true, [](auto& b) { b.normalisation = "ceil_score"; });
    check_score_key(true, [](auto& b) { b.ceiling.name = "none"; });
    check_score_key(true, [](auto& b) { b.select = {{"region", {"IT"}, {}, {}}}; });
    check_score_key(true, [](auto& b) { b.time_bins = {{70, 170}}; });
    check_score_key(true, [](auto& b) { b.dropna = "presentation"; });
    check_score_key(true, [](auto& b) { b.metric.name = "ridge"; });
    check_score_key(true, [](auto& b) { b.metric.n_components = 6; });
    check_score_key(true, [](auto& b) { b.metric.alpha = 2; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.splits = 9; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.train_size = 0.5; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.test_size = 0.25; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.kfold = true; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.random_state = 2; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.unique_split_values = true; });
    check_score_key(true, [](auto& b) { b.metric.cross_validation.split_coordinate = "x"; });
    check_score_key(
        true, [](auto& b) { b.metric.cross_validation.stratification_coordinate = "object_name"; });
}

TEST_CASE("a score's key does not change with names of files and what is only shown") {
    check_score_key(false, [](auto& b) { b.origin = "elsewhere.toml"; });
    check_score_key(false, [](auto& b) { b.bibtex = "@article"; });
    check_score_key(false, [](auto& b) { b.parent = "V4"; });
    check_score_key(false, [](auto& b) { b.expected = {{benchmarks::Quantity::score, 0.5, 0.1}}; });
}

TEST_CASE("activations in other time bins have another key") {
    const auto key = [](const core::TimeBins& bins) {
        return pipeline::in_time_bins_key("a", bins);
    };
    CHECK(key({}) == "a");
    CHECK(key({{0, 50}}) != "a");
    CHECK(key({{0, 50}}) != key({{0, 100}}));
    CHECK(key({{0, 50}, {50, 100}}) != key({{0, 50}}));
    CHECK(key({{0, 50}, {50, 100}}) != key({{50, 100}, {0, 50}}));
    CHECK(pipeline::in_time_key("a") != "a");
}

TEST_CASE("no two conditions on the recordings have one key") {
    const std::vector<std::vector<core::Condition>> selections = {
        {},
        {{"region", {"IT"}, {}, {}}},
        {{"region", {"IT", "V4"}, {}, {}}},
        {{"region", {"ITV4"}, {}, {}}},
        {{"region", {"IT"}, {}, {}}, {"V4", {}, {}, {}}},
        {{"region", {}, 0.3, {}}},
        {{"region", {}, {}, 0.3}},
        {{"region", {"0.3"}, {}, {}}}};
    std::set<std::string> scores, ceilings;
    for (const auto& selection : selections) {
        auto benchmark = test::small_benchmark("pls");
        benchmark.select = selection;
        scores.insert(score_key_of(benchmark));
        ceilings.insert(ceiling_key_of(benchmark));
    }
    CHECK(scores.size() == selections.size());
    CHECK(ceilings.size() == selections.size());
}

TEST_CASE("a score's key changes with model, activations, layers, seed, recordings and stimuli") {
    const auto benchmark = test::small_benchmark("pls");
    const std::set<std::string> keys = {
        score_key_of(benchmark),
        pipeline::score_key({"other", "activations", {"layer"}, 0}, benchmark, recordings,
                            "stimuli"),
        pipeline::score_key({"model", "others", {"layer"}, 0}, benchmark, recordings, "stimuli"),
        pipeline::score_key({"model", "activations", {"layer", "more"}, 0}, benchmark, recordings,
                            "stimuli"),
        pipeline::score_key({"model", "activations", {"layermore"}, 0}, benchmark, recordings,
                            "stimuli"),
        pipeline::score_key({"model", "activations", {"layer"}, 1}, benchmark, recordings,
                            "stimuli"),
        pipeline::score_key({"model", "activations", {"layer"}, 0}, benchmark,
                            {{"repetitions", "other"}}, "stimuli"),
        pipeline::score_key({"model", "activations", {"layer"}, 0}, benchmark, {{"target", "hash"}},
                            "stimuli"),
        pipeline::score_key({"model", "activations", {"layer"}, 0}, benchmark, recordings,
                            "others")};
    CHECK(keys.size() == 9);
}

TEST_CASE("a PCA is part of scores' keys: its components and its images") {
    auto model = network();
    CHECK(pipeline::projection_key(model, "photos").empty());
    model.pca = models::PcaRecord{16, "dataset"};
    const auto key = pipeline::projection_key(model, "photos");
    CHECK(key != pipeline::projection_key(model, "others"));
    model.pca->dataset = "another name of the same images";
    CHECK(key == pipeline::projection_key(model, "photos"));
    model.pca->components = 17;
    CHECK(key != pipeline::projection_key(model, "photos"));
    const auto benchmark = test::small_benchmark("pls");
    CHECK(score_key_of(benchmark) !=
          pipeline::score_key({"model", "activations", {"layer"}, 0, key}, benchmark, recordings,
                              "stimuli"));
}

TEST_CASE("the PCA of stored features has the features that it is fitted on in its key") {
    auto model = network();
    model.pca = models::PcaRecord{16, "photos"};
    const auto of_images = pipeline::projection_key(model, "hash");
    model.features.path = "features.nc";
    model.pca = models::PcaRecord{16, "", {"photos.nc", ""}};
    const auto key = pipeline::projection_key(model, "hash");
    CHECK(key != of_images);
    CHECK(key != pipeline::projection_key(model, "other"));
    model.pca->features.path = "another name of the same file.nc";
    CHECK(key == pipeline::projection_key(model, "hash"));
}

TEST_CASE("a ceiling belongs to recordings, not to the metric or the version of a benchmark") {
    const auto pls = test::small_benchmark("pls");
    auto ridge = test::small_benchmark("ridge");
    ridge.version = 3;
    ridge.normalisation = "none";
    CHECK(ceiling_key_of(pls) == ceiling_key_of(ridge));
    CHECK(pipeline::ceiling_key(pls, {{"repetitions", "other"}}, "stimuli") != ceiling_key_of(pls));
    CHECK(pipeline::ceiling_key(pls, recordings, "others") != ceiling_key_of(pls));
}

TEST_CASE("a model's key is of its weights and how images reach it, not of its names") {
    const auto key = pipeline::model_key(network(), "hash");
    const auto changed = [&](const std::function<void(ModelRecord&)>& change) {
        auto model = network();
        change(model);
        return pipeline::model_key(model, "hash") != key;
    };
    CHECK(pipeline::model_key(network(), "other") != key);
    CHECK(changed([](auto& model) { model.batch_size = 17; }));
    CHECK(changed([](auto& model) { model.visual_degrees = 9; }));
    CHECK(changed([](auto& model) { model.preprocessing->resize = 65; }));
    CHECK(changed([](auto& model) { model.memory_layout = models::MemoryLayout::contiguous; }));
    CHECK(changed([](auto& model) { model.time = {1, {{0, 50}}}; }));
    CHECK_FALSE(changed([](auto& model) { model.identifier = "twin"; }));
    CHECK_FALSE(changed([](auto& model) { model.weights_file = "elsewhere/weights.ts"; }));
    CHECK_FALSE(changed([](auto& model) { model.origin = "twin.toml"; }));
    CHECK_FALSE(changed([](auto& model) { model.regions["IT"] = {"layer"}; }));
}

TEST_CASE("a model that runs on the CPU keeps its key whatever its record calls the device") {
    auto model = network();
    model.device = "cpu";
    // What the program has given since extract_version 10.
    CHECK(pipeline::model_key(model, "hash") ==
          "fd28818312eba9c67a32e8adc704fefcc1503337928d2560f89e0ef242d1f89d");
    model.device = "auto";
    const bool has_gpu = models::visible_gpus().count > 0;
    CHECK(pipeline::device_of(model) == (has_gpu ? "cuda" : "cpu"));
    model.device = "cuda";
    if (!has_gpu)
        CHECK_THROWS_WITH(pipeline::model_key(model, "hash"),
                          Catch::StartsWith("net.toml: device = \"cuda\" is not available"));
    model.features.path = "features.nc";
    CHECK(pipeline::device_of(model).empty());
}

TEST_CASE("activations of several trials have a key of their own, those of one keep theirs") {
    const auto one = pipeline::activations_key("model", "stimuli");
    CHECK(pipeline::activations_key("model", "stimuli", 1) == one);
    CHECK(pipeline::activations_key("model", "stimuli", 2) != one);
    CHECK(pipeline::activations_key("model", "stimuli", 2) !=
          pipeline::activations_key("model", "stimuli", 3));
}

TEST_CASE("a network that answers in time has a key with its axis and its bins") {
    const auto key_of = [](std::size_t axis, const core::TimeBins& bins) {
        auto model = network();
        model.time = {axis, bins};
        return pipeline::model_key(model, "hash");
    };
    const std::set<std::string> keys{key_of(1, {{0, 50}, {50, 100}}),
                                     key_of(2, {{0, 50}, {50, 100}}),
                                     key_of(1, {{0, 50}, {50, 90}}), key_of(1, {{0, 50}})};
    CHECK(keys.size() == 4);
}

TEST_CASE("an assembly is its file's hash and the variable that is meant") {
    CHECK(pipeline::assembly_key("", "hash") == "hash");
    CHECK(pipeline::assembly_key("a", "hash") != pipeline::assembly_key("b", "hash"));
    CHECK(pipeline::assembly_key("a", "hash") != pipeline::assembly_key("a", "other"));
    CHECK(pipeline::assembly_key("", "hash", {{"a", "b"}}) !=
          pipeline::assembly_key("", "hash", {{"b", "a"}}));
    CHECK(pipeline::assembly_key("", "hash", {{"a", "b"}}) != "hash");
}

TEST_CASE("stored features are their hash and variable alone") {
    auto model = network();
    model.features.path = "features.nc";
    const auto key = pipeline::model_key(model, "hash");
    auto with_variable = model;
    with_variable.features.variable = "rates";
    CHECK(pipeline::model_key(with_variable, "hash") != key);
    CHECK(key != pipeline::model_key(network(), "hash"));
    model.batch_size = 17;
    CHECK(pipeline::model_key(model, "hash") == key);
    CHECK(pipeline::model_key(model, "other") != key);
}

TEST_CASE("a stimulus set is ids, image bytes and degrees, wherever it lies") {
    const test::TemporaryFolder folder;
    const auto image = [&](const std::string& name, const std::string& bytes) {
        std::ofstream(folder.file(name)) << bytes;
        return folder.file(name);
    };
    const core::StimulusSet set{
        "set", {"a", "b"}, {image("a", "first"), image("b", "second")}, {8, 8}, {}};
    int images = 0;
    const auto key = pipeline::stimuli_key(set, [&] { ++images; });
    CHECK(images == 2);
    auto same = set;
    same.identifier = "moved";
    same.files[0] = image("c", "first");
    CHECK(pipeline::stimuli_key(same) == key);
    auto other = set;
    other.files[0] = image("d", "third");
    CHECK(pipeline::stimuli_key(other) != key);
    other = set;
    other.visual_degrees[1] = 4;
    CHECK(pipeline::stimuli_key(other) != key);
    other = set;
    other.stimulus_ids[1] = "c";
    CHECK(pipeline::stimuli_key(other) != key);
}

TEST_CASE("checkpoints belong to a layer and a kind of machine") {
    const std::set<std::string> keys = {pipeline::checkpoint_key("unit", "layer", "here"),
                                        pipeline::checkpoint_key("other", "layer", "here"),
                                        pipeline::checkpoint_key("unit", "more", "here"),
                                        pipeline::checkpoint_key("unit", "layer", "there")};
    CHECK(keys.size() == 4);
    CHECK(pipeline::activations_key("model", "") != pipeline::activations_key("", "model"));
}

TEST_CASE("the parts of a score's key say which of them has changed") {
    const auto parts_of = [](const BenchmarkRecord& benchmark, const std::string& hash = "hash") {
        return pipeline::score_parts({"model", "activations", {"layer"}, 3, "projection"},
                                     benchmark, {{"repetitions", hash}}, "stimuli");
    };
    const auto before = parts_of(test::small_benchmark("pls"));
    const auto changed = [&](const std::map<std::string, std::string>& parts) {
        std::set<std::string> names;
        for (const auto& [name, part] : parts)
            if (before.at(name) != part) names.insert(name);
        return names;
    };
    CHECK(before.at("seed") == "3");
    CHECK(before.at("activations") == "activations");
    CHECK(before.at("projection") == "projection");
    CHECK(before.at("stimuli") == "stimuli");
    using Names = std::set<std::string>;
    CHECK(changed(parts_of(test::small_benchmark("pls"), "other")) == Names{"recordings"});
    auto benchmark = test::small_benchmark("pls");
    benchmark.metric.n_components = 6;
    CHECK(changed(parts_of(benchmark)) == Names{"metric"});
    benchmark = test::small_benchmark("pls");
    benchmark.time_bins = {{70, 170}};
    CHECK(changed(parts_of(benchmark)) == Names{"selection"});
    benchmark = test::small_benchmark("ridge");
    CHECK(changed(parts_of(benchmark)) == Names{"metric", "stages"});
}
