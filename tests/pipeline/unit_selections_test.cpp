#include <filesystem>

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

/// The neuroids that do not always give the same, as a benchmark and as recordings.
const core::Condition varying{"neuroid_id", {"n0", "n1", "n2", "n3", "n4"}, {}, {}};
core::Assembly varying_recordings() {
    return core::take(test::small_recordings(), "neuroid", {0, 1, 2, 3, 4});
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

}  // namespace

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
