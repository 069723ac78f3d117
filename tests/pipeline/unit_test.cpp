#include "pipeline/unit.hpp"

#include <cmath>
#include <filesystem>
#include <set>

#include <catch2/catch.hpp>

#include "core/average_repetition.hpp"
#include "core/errors.hpp"
#include "core/portable_random.hpp"
#include "io/netcdf_assembly.hpp"
#include "metrics/score_assemblies.hpp"
#include "pipeline/inputs/keys.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using test::Team;

namespace {

/// The unit of the small run, with ceilings of 0.5.
class SmallUnit {
public:
    SmallUnit(comm::Communicator& world, const std::string& folder) : world_(world), out_(folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        world.barrier();
        run = test::small_run(folder);
    }

    /// Scores the unit and returns what is in the journal then.
    std::vector<core::ScoreRecord> score(std::optional<std::chrono::duration<double>> limit = {}) {
        const auto facts = pipeline::share_facts(run, world_);
        const auto plan = pipeline::make_plan(run, facts, {});
        for (const auto& ceiling : plan.ceilings)
            ceilings.emplace(ceiling.key, core::CeilingValue{0.5, 0.01});
        pipeline::RecordingsReader recordings(run);
        Team team(world_, out_, 1, limit);
        team.context.provenance["program"] = "test";
        team.context.peak_memory = [] { return 1234.0; };
        std::optional<pipeline::RunJournal> journal;
        if (team.context.leads()) journal.emplace(out_, "job", team.context.fingerprint);
        pipeline::NetworkTrials trials(run, {});
        pipeline::score_unit(plan.units.at(0), {run, recordings, ceilings, facts, finished, trials},
                             journal ? &*journal : nullptr, team.context);
        world_.barrier();
        auto records = test::recorded_scores(out_);
        world_.barrier();
        return records;
    }

    config::RunRecord run;
    std::map<std::string, pipeline::CeilingOutcome> ceilings;
    pipeline::Finished finished;

private:
    comm::Communicator& world_;
    std::string out_;
};

/// 4100 features of the small stimuli, more than the RDM takes rows for, around 10⁴.
core::Assembly far_features() {
    constexpr std::size_t count = 4100;
    core::Assembly features = test::small_features();
    core::PortableRandom random(9);
    std::vector<float> values(test::small_stimuli * count);
    for (float& value : values) value = static_cast<float>(1e4 + random.uniform(-1, 1));
    features.values = std::move(values);
    features.dims[1].size = count;
    features.coordinates[1].values = std::vector<std::string>(count, test::wide_layer);
    return features;
}

/// The benchmark's score as `ventral metric` computes it.
double directly(const core::Assembly& features, const metrics::MetricOptions& metric,
                const core::Assembly& recordings = test::small_recordings()) {
    core::Workers workers(2);
    return metrics::score_assemblies(features, core::average_repetition(recordings), metric,
                                     workers)
        .value;
}

std::vector<std::size_t> positions_of(const std::string& layer) {
    const auto layers = core::texts(test::small_features(), "layer");
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < layers.size(); ++j)
        if (layers[j] == layer) columns.push_back(j);
    return columns;
}

core::Assembly features_of_layer(const std::string& layer) {
    return core::take(test::small_features(), "neuroid", positions_of(layer));
}

/// The neuroids that do not always give the same, as a benchmark and as recordings.
const core::Condition varying{"neuroid_id", {"n0", "n1", "n2", "n3", "n4"}, {}, {}};
core::Assembly varying_recordings() {
    return core::take(test::small_recordings(), "neuroid", {0, 1, 2, 3, 4});
}

/// The presentations of these stimuli, in the assembly's order.
core::Assembly only_stimuli(const core::Assembly& assembly, const std::set<std::string>& wanted) {
    const auto ids = core::texts(assembly, "stimulus_id");
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (wanted.count(ids[i])) rows.push_back(i);
    return core::take(assembly, "presentation", rows);
}

/// The small data with a coordinate "kind" of the stimuli, "even" or "odd" by their number; those
/// of the features begin with `first`.
void write_kinds(const std::string& folder, const std::string& first) {
    const auto write = [&](core::Assembly assembly, const std::string& file,
                           const std::optional<std::string>& changed) {
        std::vector<std::string> kinds;
        for (const auto& id : core::texts(assembly, "stimulus_id"))
            kinds.emplace_back((id.back() - '0') % 2 == 0 ? "even" : "odd");
        if (changed) kinds.front() = *changed;
        assembly.coordinates.push_back({"kind", "presentation", kinds});
        io::write_assembly(folder + file, assembly);
    };
    write(test::small_features(), "/features.nc", first);
    write(test::small_recordings(), "/recordings.nc", {});
}

/// The small features, each smaller than the one before: from 1 to 1e-15 over the wide layer.
void write_steep_features(const std::string& folder) {
    auto features = test::small_features();
    auto& values = std::get<std::vector<float>>(features.values);
    const std::size_t all = features.dims[1].size;
    const std::size_t narrow = all - 90;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i % all >= narrow)
            values[i] *=
                static_cast<float>(std::pow(10, -static_cast<double>(i % all - narrow) / 6));
    io::write_assembly(folder + "/features.nc", features);
}

}  // namespace

TEST_CASE("records say what was scored, how, and with what") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto records = SmallUnit(world, folder).score();
        REQUIRE(records.size() == 4);
        for (const auto& record : records) {
            CHECK(record.status == core::ScoreStatus::scored);
            CHECK(record.value.value() == std::pow(record.raw_value.value(), 2) / 0.5);
            CHECK(record.ceiling.value().error == 0.01);
            CHECK(record.normalisation == "explained_variance");
            CHECK(record.region == "IT");
            CHECK(record.provenance.at("program") == "test");
            CHECK(record.provenance.count("activations") == 1);
            CHECK(record.memory.at("peak") == 1234.0);
            CHECK(record.timing.count("fit") == 1);
            CHECK_FALSE(record.route.empty());
            CHECK(record.raw.has_value());
        }
    });
}

TEST_CASE("finished scores are left alone") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    SmallUnit unit(*serial, folder.path().string());
    const auto plan = pipeline::make_plan(unit.run, pipeline::gather_facts(unit.run), {});
    const auto& scores = plan.units.at(0).scores;
    for (const auto& score : scores) unit.finished.scores[score.key] = "scored";
    CHECK(unit.score().empty());
    unit.finished.scores.erase(scores[2].key);
    const auto records = unit.score();
    REQUIRE(records.size() == 1);
    CHECK(records[0].key == scores[2].key);
}

TEST_CASE("a ceiling that failed fails its scores, the others go on") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        unit.run.benchmarks[1].select = {{"region", {"IT"}, {}, {}}};
        const auto facts = pipeline::share_facts(unit.run, world);
        const auto key = pipeline::ceiling_key(unit.run.benchmarks[0],
                                               facts.datasets.at("small").assembly_keys, "");
        unit.ceilings[key] = core::Failure{core::FailureClass::deterministic, "too noisy"};
        const auto records = unit.score();
        REQUIRE(records.size() == 4);
        for (const auto& record : records) {
            const bool is_bad = record.benchmark == "small-pls";
            CHECK((record.status == core::ScoreStatus::failed) == is_bad);
            CHECK(record.ceiling.has_value() != is_bad);
            if (is_bad) CHECK(record.failure.value().reason == "too noisy");
        }
    });
}

TEST_CASE("a benchmark without ceiling has a raw value only") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        unit.run.benchmarks.resize(1);
        unit.run.benchmarks[0].ceiling.name = unit.run.benchmarks[0].normalisation = "none";
        const auto records = unit.score();
        REQUIRE(records.size() == 2);
        CHECK_FALSE(records[0].ceiling.has_value());
        CHECK(records[0].value == records[0].raw_value);
    });
}

TEST_CASE("stimuli that a selection leaves out are left out of the features") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        const auto features = test::small_features();
        std::vector<std::string> wanted;
        std::vector<std::size_t> rows;  // the features begin with s39
        for (std::size_t row = 10; row < 40; ++row) {
            rows.push_back(row);
            wanted.push_back(core::texts(features, "stimulus_id")[row]);
        }
        unit.run.benchmarks.resize(1);
        unit.run.benchmarks[0].select = {{"stimulus_id", wanted, {}, {}}};
        REQUIRE(unit.score().size() == 2);
        if (world.rank() == 0)
            io::write_assembly(folder + "/features.nc", core::take(features, "presentation", rows));
        world.barrier();
        const auto records = unit.score();
        REQUIRE(records.size() == 4);
        for (std::size_t i = 0; i < 4; i += 2) {
            CHECK(records[i].layer == records[i + 1].layer);
            CHECK(records[i].key != records[i + 1].key);
            // The Gram of 30 rows has another offset than that of 40.
            CHECK(records[i].raw_value.value() ==
                  Approx(records[i + 1].raw_value.value()).epsilon(1e-9));
        }
    });
}

TEST_CASE("recordings of fewer stimuli than the features have fail, unless selected") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        if (world.rank() == 0) {
            std::vector<std::size_t> most;
            for (std::size_t i = 0; i < 160; ++i)
                if (i % 40 != 7) most.push_back(i);
            io::write_assembly(folder + "/recordings.nc",
                               core::take(test::small_recordings(), "presentation", most));
        }
        world.barrier();
        const auto records = unit.score();
        REQUIRE(records.size() == 4);
        for (const auto& record : records)
            CHECK_THAT(
                record.failure.value().reason,
                Catch::StartsWith(folder + "/features.nc and " + folder + "/recordings.nc: ") &&
                    Catch::Contains("stimulus 's07' is in the features"));
        CHECK(std::filesystem::is_empty(folder + "/grams"));  // it was known before
    });
}

TEST_CASE("features with other strata than the recordings fail where strata count") {
    // The features begin with s39: "even" is wrong of it, though both sides have that label.
    const std::string first = GENERATE("odd", "even", "neither");
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        if (world.rank() == 0) write_kinds(folder, first);
        world.barrier();
        unit.run.benchmarks[0].metric.cross_validation.stratification_coordinate = "kind";
        const auto records = unit.score();
        REQUIRE(records.size() == 4);
        for (const auto& record : records) {
            const bool is_refused = first != "odd" && record.benchmark == "small-pls";
            CHECK(record.failure.has_value() == is_refused);
            if (is_refused)
                CHECK_THAT(
                    record.failure.value().reason,
                    Catch::StartsWith(folder + "/features.nc and " + folder + "/recordings.nc: ") &&
                        Catch::Contains("other labels 'kind'"));
        }
    });
}

TEST_CASE("the strata of stimuli that a selection leaves out do not count") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    SmallUnit unit(*serial, folder.path().string());
    write_kinds(folder.path().string(), "neither");
    std::vector<std::string> others = core::texts(test::small_features(), "stimulus_id");
    others.erase(others.begin());
    unit.run.benchmarks.resize(1);
    unit.run.benchmarks[0].metric.cross_validation.stratification_coordinate = "kind";
    unit.run.benchmarks[0].select = {{"stimulus_id", others, {}, {}}};
    const auto records = unit.score();
    REQUIRE(records.size() == 2);
    for (const auto& record : records) CHECK(record.status == core::ScoreStatus::scored);
}

TEST_CASE("features that are not finite are named with file and stimulus, if that may be told") {
    const bool open = GENERATE(true, false);
    test::on_ranks_in_folder([open](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        if (world.rank() == 0) {
            auto features = test::small_features();
            std::get<std::vector<float>>(features.values)[3] = std::nanf("");
            io::write_assembly(folder + "/features.nc", features);
        }
        world.barrier();
        if (!open) unit.run.datasets["small"].access = benchmarks::Access::restricted;
        auto& without = unit.run.benchmarks[1];
        without.ceiling.name = without.normalisation = "none";
        std::size_t failed = 0;
        for (const auto& record : unit.score()) {
            if (record.layer != test::narrow_layer) continue;
            ++failed;
            REQUIRE(record.failure);
            CHECK(record.ceiling.has_value() == (record.benchmark != without.identifier));
            const auto& reason = record.failure->reason;
            CHECK_THAT(reason, Catch::Contains("features.nc: layer 'narrow': feature 3 is NaN"));
            CHECK((reason.find("stimulus 's39'") != reason.npos) == open);
        }
        CHECK(failed == 2);
    });
}

TEST_CASE("a metric that looks at single features needs no Gram, and outlives one that fails") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        auto features = test::small_features();
        std::get<std::vector<float>>(features.values)[3] = std::nanf("");
        if (world.rank() == 0) io::write_assembly(folder + "/features.nc", features);
        world.barrier();
        auto& single = unit.run.benchmarks[1];
        single.metric.name = "neuron_to_neuron";
        single.select = {varying};
        unit.run.layers = config::LayerChoice::listed;
        unit.run.listed_layers = {{"stored", {{test::narrow_layer}}}};
        const auto records = unit.score();
        REQUIRE(records.size() == 2);
        for (const auto& record : records) {
            const bool is_single = record.benchmark == single.identifier;
            CHECK(record.failure.has_value() != is_single);
            if (!is_single) continue;
            CHECK(record.route == "features");
            CHECK(record.raw_value ==
                  directly(core::take(features, "neuroid", positions_of(test::narrow_layer)),
                           single.metric, varying_recordings()));
        }
        CHECK(std::filesystem::is_empty(folder + "/grams"));
    });
}

TEST_CASE("single features of a selection of stimuli, of two layers together") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        const auto features = test::small_features();
        const auto ids = core::texts(features, "stimulus_id");
        const std::vector<std::string> wanted(ids.begin() + 10, ids.end());
        unit.run.benchmarks.resize(1);
        auto& single = unit.run.benchmarks[0];
        single.metric.name = "neuron_to_neuron";
        single.select = {{"stimulus_id", wanted, {}, {}}, varying};
        unit.run.layers = config::LayerChoice::listed;
        unit.run.listed_layers = {{"stored", {{test::wide_layer, test::narrow_layer}}}};
        const auto records = unit.score();
        REQUIRE(records.size() == 1);
        CHECK(records[0].raw_value.value() ==
              directly(only_stimuli(features, {wanted.begin(), wanted.end()}), single.metric,
                       only_stimuli(varying_recordings(), {wanted.begin(), wanted.end()})));
    });
}

TEST_CASE("a request to stop reaches the caller on all ranks") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        CHECK_THROWS_AS(unit.score(std::chrono::seconds(0)), core::Interrupted);
        world.barrier();
        CHECK(test::recorded_scores(folder).empty());
    });
}

TEST_CASE("where the Gram of a wide layer loses digits, the score comes from the features") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        if (world.rank() == 0) write_steep_features(folder);
        world.barrier();
        unit.run.benchmarks.resize(1);
        unit.run.benchmarks[0].metric.n_components = 25;
        unit.run.layers = config::LayerChoice::listed;
        unit.run.listed_layers = {{"stored", {{test::wide_layer}}}};
        const auto records = unit.score();
        REQUIRE(records.size() == 1);
        CHECK(records[0].status == core::ScoreStatus::scored);
        CHECK(records[0].margins.guard > 1e-11);
        CHECK(records[0].route == "gram+features");
    });
}

TEST_CASE("a comparison in a run is the comparison of the assemblies") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        unit.run.benchmarks.clear();
        for (const char* metric : {"cka", "cka_biased", "cka_cv", "rdm", "rdm_cv"})
            unit.run.benchmarks.push_back(test::small_benchmark(metric));
        const auto records = unit.score();
        REQUIRE(records.size() == 10);
        for (const auto& record : records) {
            INFO(record.benchmark + " " + record.layer);
            const auto metric = record.benchmark.substr(std::string("small-").size());
            const double expected =
                directly(features_of_layer(record.layer), test::small_benchmark(metric).metric);
            CHECK(record.raw_value.value() == Approx(expected).epsilon(1e-12));
            CHECK(record.route == (metric.starts_with("rdm") ? "features" : "gram"));
            CHECK(record.raw_dims.empty() == !metric.ends_with("_cv"));
        }
    });
}

TEST_CASE("a linear regression in a run is that of the assemblies, on all stimuli and on some") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        // The features have the stimuli in reverse, and the wide layer has more than there are.
        SmallUnit unit(world, folder);
        std::vector<std::string> most;
        const auto ids = core::texts(test::small_features(), "stimulus_id");
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (i % 4 != 1) most.push_back(ids[i]);
        const auto all = test::small_benchmark("linear_predictivity");
        auto part = all;
        part.identifier = "part";
        part.select = {{"stimulus_id", most, {}, {}}};
        unit.run.benchmarks = {all, part};
        const auto records = unit.score();
        REQUIRE(records.size() == 4);
        const std::set<std::string> wanted(most.begin(), most.end());
        for (const auto& record : records) {
            INFO(record.benchmark + " " + record.layer);
            const auto features = features_of_layer(record.layer);
            const auto recordings = test::small_recordings();
            const double expected = record.benchmark == "part"
                                        ? directly(only_stimuli(features, wanted), all.metric,
                                                   only_stimuli(recordings, wanted))
                                        : directly(features, all.metric);
            CHECK(record.raw_value.value() == Approx(expected).epsilon(1e-9));
        }
    });
}

TEST_CASE("where the Gram loses digits of dissimilarities, these are made from the features") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        SmallUnit unit(world, folder);
        if (world.rank() == 0) io::write_assembly(folder + "/features.nc", far_features());
        world.barrier();
        unit.run.benchmarks = {test::small_benchmark("rdm")};
        const double expected = directly(far_features(), unit.run.benchmarks[0].metric);
        unit.run.layers = config::LayerChoice::listed;
        unit.run.listed_layers = {{"stored", {{test::wide_layer}}}};
        const auto records = unit.score();
        REQUIRE(records.size() == 1);
        CHECK(records[0].route == "features");
        CHECK(records[0].raw_value.value() == Approx(expected).epsilon(1e-12));
        // To stay with the Gram is told, and costs digits.
        unit.run.benchmarks[0].metric.gram_only = true;
        const auto lossy = unit.score();
        REQUIRE(lossy.size() == 2);
        const auto& of_gram = lossy[lossy[0].key == records[0].key ? 1 : 0];
        CHECK(of_gram.route == "gram");
        CHECK(of_gram.margins.guard > 1e-11);
        CHECK(of_gram.margins.rank_gap > 0);
    });
}

TEST_CASE("a unit that stopped before or while it went to the features ends with the same bits") {
    for (const std::string metric : {"pls", "rdm_cv"})
        test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
            INFO(metric);
            SmallUnit unit(world, folder);
            if (world.rank() == 0) {
                if (metric == "pls")
                    write_steep_features(folder);
                else
                    io::write_assembly(folder + "/features.nc", far_features());
            }
            world.barrier();
            unit.run.benchmarks = {test::small_benchmark(metric)};
            unit.run.benchmarks[0].metric.n_components = 25;
            unit.run.layers = config::LayerChoice::listed;
            unit.run.listed_layers = {{"stored", {{test::wide_layer}}}};
            const auto route = unit.score().at(0).route;
            CHECK(route != "gram");
            const auto bits = test::score_bits(folder);
            CHECK(test::journal_lines(folder, "folds").size() == 4);  // two groups, twice
            world.barrier();
            for (const bool one_is_done : {false, true}) {
                INFO((one_is_done ? "one group was done again" : "no group was done again"));
                if (world.rank() == 0)
                    test::drop_journal_lines(folder, [&](const std::string& line) {
                        const auto has = [&](const char* text) {
                            return line.find(text) != std::string::npos;
                        };
                        const bool again = has(R"("kind":"folds")") && !has(R"("route":"gram",)");
                        return has(R"("kind":"score")") ||
                               (again && !(one_is_done && has(R"("group":0,)")));
                    });
                world.barrier();
                CHECK(test::journal_lines(folder, "folds").size() == (one_is_done ? 3 : 2));
                unit.finished = pipeline::read_finished(folder, "this machine", {});
                CHECK(unit.finished.groups.size() == 2);
                world.barrier();
                const auto records = unit.score();
                REQUIRE(records.size() == 1);
                CHECK(records[0].route == route);
                CHECK(test::score_bits(folder) == bits);
                world.barrier();
            }
        });
}
