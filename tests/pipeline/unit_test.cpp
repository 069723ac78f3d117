#include "pipeline/unit.hpp"

#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "core/portable_random.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/small_unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using test::directly;
using test::only_stimuli;
using test::positions_of;
using test::SmallUnit;

namespace {

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

core::Assembly features_of_layer(const std::string& layer) {
    return core::take(test::small_features(), "neuroid", positions_of(layer));
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
    for (const auto& score : scores) unit.finished.scores[score.key] = core::ScoreStatus::scored;
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
