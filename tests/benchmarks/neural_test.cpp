#include "benchmarks/neural.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/registered_metrics.hpp"

using namespace ventral;
using benchmarks::BenchmarkRecord;

namespace {

/// Two stimuli, each shown twice, × three neuroids × two time bins; the value is
/// 100 presentation + 10 neuroid + bin.
core::Assembly recordings() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 4}, {"neuroid", 3}, {"time_bin", 2}};
    std::vector<double> values;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
            for (int t = 0; t < 2; ++t) values.push_back(100 * i + 10 * j + t);
    assembly.values = values;
    assembly.coordinates = {
        {"stimulus_id", "presentation", std::vector<std::string>{"a", "b", "a", "b"}},
        {"repetition", "presentation", std::vector<std::int64_t>{0, 0, 1, 1}},
        {"neuroid_id", "neuroid", std::vector<std::string>{"n0", "n1", "n2"}},
        {"region", "neuroid", std::vector<std::string>{"V4", "IT", "IT"}},
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{0, 70}},
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{70, 170}}};
    return assembly;
}

core::StimulusSet stimuli() {
    return {"set",
            {"b", "a"},
            {"b.png", "a.png"},
            {8, 8},
            {{"object_name", std::vector<std::string>{"face", "car"}}}};
}

BenchmarkRecord benchmark() {
    BenchmarkRecord record;
    record.identifier = "V4-pls";
    record.origin = "v4.toml";
    record.dataset = "set";
    record.metric.name = "pls";
    return record;
}

}  // namespace

TEST_CASE("a benchmark is about the neuroids and the time bin that it selects") {
    auto record = benchmark();
    record.select = {{"region", {"IT"}, {}, {}}};
    record.time_bins = {{70, 170}};
    const auto part = benchmarks::part_of_benchmark(record, recordings(), nullptr);
    CHECK(core::dimension_size(part, "neuroid") == 2);
    CHECK(core::dimension_size(part, "time_bin") == 1);
    // Presentations 0 … 3, neuroids 1 and 2, bin 1.
    CHECK(core::as_float64(part.values) ==
          std::vector<double>{11, 21, 111, 121, 211, 221, 311, 321});
}

TEST_CASE("dropna leaves out what has a NaN in the target and in the repetitions") {
    auto record = benchmark();
    record.time_bins = {{70, 170}};
    record.dropna = "presentation";
    auto gaps = recordings();
    auto& values = std::get<std::vector<double>>(gaps.values);
    values[1 * 6 + 1 * 2 + 1] = std::nan("");  // of stimulus b, neuroid 1, bin 1
    values[3 * 6 + 1 * 2 + 1] = std::nan("");  // its other presentation
    values[0 * 6 + 2 * 2 + 1] = std::nan("");  // of stimulus a, neuroid 2, bin 1
    values[2 * 6 + 1 * 2 + 0] = std::nan("");  // in the other bin
    const auto of_target = [&](const std::string& coordinate) {
        return core::texts(benchmarks::target_of(record, {{}, gaps}, nullptr), coordinate);
    };
    const auto of_repetitions = [&](const std::string& coordinate) {
        return core::texts(benchmarks::repetitions_of(record, {{}, gaps}, nullptr), coordinate);
    };
    using Names = std::vector<std::string>;
    // What one repetition lacks the average has from the other.
    CHECK(of_target("stimulus_id") == Names{"a"});
    CHECK(of_repetitions("stimulus_id") == Names{"a"});
    CHECK(of_repetitions("repetition") == Names{"1"});
    CHECK(benchmarks::target_of(record, {gaps, {}}, nullptr).dims[0].size == 1);
    CHECK(benchmarks::leaves_out_presentations(record, gaps, nullptr));
    record.select = {{"region", {"V4"}, {}, {}}};
    CHECK(of_target("stimulus_id") == Names{"a", "b"});
    record.select.clear();
    for (auto& value : values) value = std::nan("");
    CHECK_THROWS_WITH(of_target("stimulus_id"),
                      Catch::StartsWith("v4.toml: dropna: ") &&
                          Catch::Contains("nothing is left of dimension 'presentation'"));
}

TEST_CASE("what a benchmark is about is told by labels alone") {
    auto record = benchmark();
    CHECK_FALSE(benchmarks::is_about_a_part(record));
    record.select = {{"region", {"IT"}, {}, {}}, {"object_name", {"face"}, {}, {}}};
    record.time_bins = {{70, 170}};
    CHECK(benchmarks::is_about_a_part(record));
    auto labels = recordings();
    labels.values = core::Values();
    const auto set = stimuli();
    const auto positions = benchmarks::positions_of_benchmark(record, labels, &set);
    CHECK(positions ==
          core::Positions{{"presentation", {1, 3}}, {"neuroid", {1, 2}}, {"time_bin", {1}}});
    // What is left of them is about itself.
    const auto part = core::take(recordings(), positions);
    CHECK(benchmarks::part_of_benchmark(record, part, &set).values ==
          benchmarks::part_of_benchmark(record, recordings(), &set).values);
}

TEST_CASE("several time bins are taken in the order of time") {
    auto record = benchmark();
    record.metric.name = "spantime_pls";
    record.select = {{"neuroid_id", {"n1"}, {}, {}}};
    record.time_bins = {{70, 170}, {0, 70}};
    const auto part = benchmarks::part_of_benchmark(record, recordings(), nullptr);
    CHECK(core::time_bins_of(part) == core::TimeBins{{0, 70}, {70, 170}});
    CHECK(core::as_float64(part.values) ==
          std::vector<double>{10, 11, 110, 111, 210, 211, 310, 311});
}

TEST_CASE("without time_bins a metric that takes time takes all bins in the order of time") {
    auto record = benchmark();
    record.metric.name = "pertime_ridge";
    record.select = {{"neuroid_id", {"n1"}, {}, {}}};
    const auto turned = core::take(recordings(), "time_bin", {1, 0});
    const auto part = benchmarks::part_of_benchmark(record, turned, nullptr);
    CHECK(core::time_bins_of(part) == core::TimeBins{{0, 70}, {70, 170}});
    CHECK(core::as_float64(part.values) ==
          std::vector<double>{10, 11, 110, 111, 210, 211, 310, 311});
}

TEST_CASE("a metric that takes time needs recordings that have time bins") {
    auto record = benchmark();
    record.metric.name = "pertime_ridge";
    const auto one = core::squeeze(core::take(recordings(), "time_bin", {0}), "time_bin");
    CHECK(core::time_bins_of(one).empty());
    CHECK_THROWS_WITH(benchmarks::part_of_benchmark(record, one, nullptr),
                      Catch::Contains("no dimension time_bin"));
}

TEST_CASE("recordings get the columns of their stimuli by id") {
    auto record = benchmark();
    const auto all = stimuli();
    auto part = benchmarks::part_of_benchmark(record, recordings(), &all);
    CHECK(core::texts(part, "object_name") ==
          std::vector<std::string>{"car", "face", "car", "face"});
    record.select = {{"object_name", {"face"}, {}, {}}};
    part = benchmarks::part_of_benchmark(record, recordings(), &all);
    CHECK(core::texts(part, "stimulus_id") == std::vector<std::string>{"b", "b"});
}

TEST_CASE("recordings without names of neuroids are an error that lists what their file has") {
    auto nameless = recordings();
    nameless.coordinates.erase(nameless.coordinates.begin() + 2);
    const auto set = stimuli();
    CHECK_THROWS_WITH(benchmarks::part_of_benchmark(benchmark(), nameless, &set),
                      Catch::Contains("'neuroid_id'") && Catch::Contains("repetition") &&
                          !Catch::Contains("object_name"));
    auto record = benchmark();
    record.metric.name = "rdm";  // knows no neuroids
    CHECK_THROWS_WITH(benchmarks::part_of_benchmark(record, nameless, &set),
                      Catch::Contains("'neuroid_id'"));  // which the ceiling goes by
    record.ceiling.name = "none";
    CHECK_NOTHROW(benchmarks::part_of_benchmark(record, nameless, &set));
}

TEST_CASE("recordings of one neuroid without its dimension are an error that says so") {
    core::Assembly lone;
    lone.name = "lone.nc";
    lone.dims = {{"presentation", 2}};
    lone.values = std::vector<double>{1, 2};
    lone.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"a", "b"}}};
    const auto set = stimuli();
    CHECK_THROWS_WITH(benchmarks::part_of_benchmark(benchmark(), lone, &set),
                      Catch::StartsWith("lone.nc: no dimension 'neuroid'") &&
                          Catch::EndsWith("(its dimensions: presentation) recordings are "
                                          "presentation × neuroid, also of a single one, give the "
                                          "dimensions these names"));
}

TEST_CASE("a time bin that the recordings lack is an error that lists theirs") {
    auto record = benchmark();
    record.time_bins = {{70, 100}};
    CHECK_THROWS_WITH(benchmarks::part_of_benchmark(record, recordings(), nullptr),
                      Catch::StartsWith("v4.toml: time bin [70, 100] of 'V4-pls'") &&
                          Catch::Contains("[0, 70], [70, 170]"));
}

TEST_CASE("the target is the target assembly, or else the average of the repetitions") {
    auto record = benchmark();
    record.select = {{"region", {"V4"}, {}, {}}};
    record.time_bins = {{0, 70}};
    benchmarks::NeuralRecordings both{recordings(), recordings()};
    const auto given = benchmarks::target_of(record, both, nullptr);
    CHECK(core::dimension_size(given, "presentation") == 4);
    both.target.reset();
    const auto averaged = benchmarks::target_of(record, both, nullptr);
    // Stimulus a: (0 + 200) / 2; stimulus b: (100 + 300) / 2.
    CHECK(core::as_float64(averaged.values) == std::vector<double>{100, 200});
}

TEST_CASE("a ceiling without repetitions is an error that says what to do") {
    const benchmarks::NeuralRecordings only_target{recordings(), {}};
    CHECK_THROWS_WITH(
        benchmarks::repetitions_of(benchmark(), only_target, nullptr),
        Catch::StartsWith("v4.toml: dataset 'set' has no repetitions") && Catch::Contains("none"));
}

TEST_CASE("a ceiling of averages in place of repetitions is an error that says what is missing") {
    auto averages = recordings();
    std::erase_if(averages.coordinates, [](const auto& each) { return each.name == "repetition"; });
    const benchmarks::NeuralRecordings only_averages{{}, averages};
    CHECK_THROWS_WITH(benchmarks::repetitions_of(benchmark(), only_averages, nullptr),
                      Catch::Contains("'repetition'") && Catch::Contains("ceiling"));
    auto without = benchmark();
    without.ceiling.name = "none";
    CHECK_NOTHROW(benchmarks::repetitions_of(without, only_averages, nullptr));
}

TEST_CASE("only conditions on presentations leave out stimuli") {
    auto record = benchmark();
    const auto all = stimuli();
    CHECK_FALSE(benchmarks::leaves_out_presentations(record, recordings(), &all));
    record.select = {{"region", {"V4"}, {}, {}}};
    CHECK_FALSE(benchmarks::leaves_out_presentations(record, recordings(), &all));
    record.select.push_back({"object_name", {"car"}, {}, {}});
    CHECK(benchmarks::leaves_out_presentations(record, recordings(), &all));
    record.select = {{"stimulus_id", {"a"}, {}, {}}};
    CHECK(benchmarks::leaves_out_presentations(record, recordings(), nullptr));
}

TEST_CASE("what is not supported is refused with the file and the benchmark") {
    CHECK_NOTHROW(benchmarks::check_supported(benchmark()));
    const auto refusal = [](auto change) {
        auto record = benchmark();
        change(record);
        try {
            benchmarks::check_supported(record);
        } catch (const core::InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(refusal([](auto& record) { record.pattern = "behavioural"; }),
               Catch::StartsWith("v4.toml: benchmark 'V4-pls': pattern 'behavioural'"));
    CHECK_THAT(refusal([](auto& record) { record.metric.name = "pls_split"; }),
               Catch::Contains("train and test"));
    CHECK_THAT(refusal([](auto& record) { record.metric.name = "plx"; }), Catch::Contains("'pls'"));
    CHECK_THAT(refusal([](auto& record) { record.ceiling.name = "none"; }),
               Catch::Contains("needs a ceiling"));
    CHECK_THAT(refusal([](auto& record) {
                   record.time_bins = {{0, 70}, {70, 170}};
               }),
               Catch::Contains("metric 'pls' takes one time bin"));
    CHECK_THAT(refusal([](auto& record) { record.metric.name = "spantime_pls"; }),
               Catch::Contains("take internal_consistency_temporal"));
    CHECK(refusal([](auto& record) {
              record.metric.name = "spantime_pls";
              record.ceiling.name = "internal_consistency_temporal";
              record.time_bins = {{0, 70}, {70, 170}};
          }).empty());
    const auto neuroid_wise = [&](const std::string& metric, const std::string& ceiling) {
        return refusal([&](auto& record) {
            record.normalisation = "neuroid_wise_explained_var";
            record.metric.name = metric;
            record.ceiling.name = ceiling;
        });
    };
    CHECK(neuroid_wise("ridge_cv", "predictor_consistency").empty());
    CHECK_THAT(neuroid_wise("cka_cv", "internal_consistency"),
               Catch::Contains("'cka_cv' has one of all together"));
    for (const auto* metric : {"pls", "pertime_ridge"})
        CHECK_THAT(neuroid_wise(metric, "internal_consistency_temporal"),
                   Catch::Contains("one value of each neuroid"));
    CHECK(refusal([](auto& record) { record.number_of_trials = 2; }).empty());
    CHECK(refusal([](auto& record) {
              record.ceiling.name = "none";
              record.normalisation = "none";
          }).empty());
}

TEST_CASE("the metrics and ceilings that are offered are those that are not refused") {
    const auto is_taken = [](const std::string& metric, const std::string& ceiling) {
        auto record = benchmark();
        record.metric.name = metric;
        record.ceiling.name = ceiling;
        record.normalisation = "none";
        try {
            benchmarks::check_supported(record);
            return true;
        } catch (const core::InputError&) {
            return false;
        }
    };
    std::vector<std::string> taken;
    for (const auto& metric : metrics::registered_metrics())
        if (is_taken(metric.name, "none")) taken.push_back(metric.name);
    CHECK(benchmarks::supported_metrics() == taken);
    taken = {"none"};
    for (const auto& ceiling : metrics::registered_ceilings())
        if (is_taken("pls", ceiling.name) || is_taken("spantime_pls", ceiling.name))
            taken.push_back(ceiling.name);
    CHECK(benchmarks::supported_ceilings() == taken);
}
