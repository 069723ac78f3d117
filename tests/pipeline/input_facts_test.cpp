#include "pipeline/inputs/input_facts.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "core/hash.hpp"
#include "io/activations/activations_writer.hpp"
#include "io/text/stimulus_csv.hpp"
#include "pipeline/gathered_data.hpp"
#include "support/small_network.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::gather_facts;
using test::GatheredData;
using test::is_remembered;

namespace {

/// A run whose dataset has images, and features that were extracted from them.
struct ExtractedData : GatheredData {
    ExtractedData() {
        images() = test::written_small_network_run(path()).datasets.at("images");
        run.models[0].features.path = file;
    }
    benchmarks::DatasetRecord& images() { return run.datasets["images"]; }

    void extract(const std::vector<double>& degrees) const {
        const auto serial = comm::make_serial();
        const auto& record = run.datasets.at("images").stimuli;
        io::ActivationsHeader header;
        header.layers = {{"conv", {1}}};
        header.stimuli = io::read_stimulus_set({"images", record.csv.path, record.folder, 8});
        header.stimuli.visual_degrees = degrees;
        io::ActivationsWriter writer(file, *serial, header);
        writer.write_rows(0, 0, std::vector<float>(header.stimuli.stimulus_ids.size()));
        writer.finish();
    }

    std::map<std::string, std::string> other_stimuli() const {
        const auto facts = known_facts().models.at({"stored", ""});
        CHECK(!facts.failure);
        return facts.other_stimuli;
    }

    std::string file = folder.file("activations.h5");
};

}  // namespace

TEST_CASE("only a file within the folder of data is one that it has moved") {
    CHECK_THAT(pipeline::where_sought("/x/d/f.nc", "m.toml", "/x/d/"), Catch::Contains("/x/d/"));
    CHECK(pipeline::where_sought("/x/d2/f.nc", "m.toml", "/x/d").empty());
    CHECK(pipeline::where_sought("/y/f.nc", "m.toml", "d").empty());
}

TEST_CASE("features by dataset have facts each") {
    GatheredData small;
    auto& models = small.run.models;
    models.push_back(models[0]);
    models[0].dataset = "small";
    models[1].dataset = "other";
    models[1].problem = "stored.toml: 'features' has no file for dataset 'other'";
    auto& namesake = models.emplace_back();
    namesake.identifier = "stored on small";
    namesake.problem = "an identifier may not contain blanks";
    const auto facts = gather_facts(small.run);
    CHECK(facts.models.size() == 3);
    CHECK(!facts.of(models[0]).failure);
    CHECK(facts.of(models[1]).failure.value().reason == models[1].problem);
    CHECK(facts.of(models[2]).failure.value().reason == models[2].problem);
}

TEST_CASE("features of images that were shown at other degrees do not go with a dataset") {
    ExtractedData data;
    data.extract(std::vector<double>(test::network_stimuli, 4));
    data.images().stimuli.visual_degrees = 4;
    CHECK(data.other_stimuli().empty());
    data.images().stimuli.visual_degrees = 8;
    for (int start = 0; start < 2; ++start)
        CHECK_THAT(data.other_stimuli().at("images"),
                   Catch::StartsWith(data.file + ": ") && Catch::Contains("--degrees 8"));
    std::filesystem::remove(data.images().stimuli.csv.path);
    CHECK(data.other_stimuli().empty());
}

TEST_CASE("features that do not say their degrees are let pass") {
    ExtractedData data;
    data.extract({});
    CHECK(data.other_stimuli().empty());
}

TEST_CASE("what an earlier start has read is remembered, with the same facts") {
    const GatheredData small;
    const auto first = small.known_facts();
    const auto second = small.known_facts();
    CHECK(first.files.size() == 2);
    CHECK(second.files.size() == 2);
    for (const auto* name : {"features.nc", "recordings.nc"}) {
        const auto path = small.folder.file(name);
        CHECK_FALSE(is_remembered(first, path));
        CHECK(first.files.at(path).state == pipeline::state_of({path}));
        CHECK(is_remembered(second, path));
        CHECK(second.files.at(path).hash == core::sha256_of_file(path));
    }
    const auto& model = second.models.at({"stored", ""});
    CHECK(model.content_key == first.models.at({"stored", ""}).content_key);
    CHECK(model.layers == std::vector<std::string>{"narrow", "wide"});
    CHECK(second.datasets.at("small").assembly_keys == first.datasets.at("small").assembly_keys);
}

TEST_CASE("a missing or damaged file is a failure of its model or dataset alone") {
    const GatheredData small;
    std::ofstream(small.folder.file("features.nc"), std::ios::trunc) << "torn";
    CHECK_THAT(small.model_failure(), Catch::StartsWith(small.folder.file("features.nc")));
    CHECK(small.model().weight_bytes == 4);  // "torn"
    CHECK(small.dataset_failure().empty());
    std::filesystem::remove(small.folder.file("recordings.nc"));
    CHECK_THAT(small.dataset_failure(), Catch::StartsWith(small.folder.file("recordings.nc")));
}

TEST_CASE("of a missing file it is told that --data has said where it is") {
    GatheredData small;
    small.run.data_folder = small.path();
    std::filesystem::remove(small.folder.file("features.nc"));
    std::filesystem::remove(small.folder.file("recordings.nc"));
    const auto place =
        "--data (or VENTRAL_DATA) has put the folder " + small.path() + " in place of that of ";
    const std::string cure = ": put the file there, or state an absolute path";
    CHECK_THAT(small.model_failure(), Catch::EndsWith(place + "stored.toml" + cure));
    CHECK_THAT(small.dataset_failure(), Catch::EndsWith(place + "dataset.toml" + cure));
    small.run.data_folder = small.folder.file("elsewhere");  // the TOML file gives the whole path
    CHECK_THAT(small.model_failure(), !Catch::Contains("--data"));
    small.run.data_folder.clear();
    small.run.models[0].origin = small.folder.file("stored.toml");
    CHECK_THAT(small.model_failure(),
               Catch::Contains("is sought beside " + small.run.models[0].origin + " (--data or"));
    std::ofstream(small.folder.file("features.nc")) << "torn";
    small.run.data_folder = small.path();
    CHECK_THAT(small.model_failure(), !Catch::Contains("--data"));
}

TEST_CASE("every rank has the facts that the first has gathered") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        auto run = test::small_run(folder);
        if (world.rank() > 0) run.models[0].features.path = "only/rank/0/reads.nc";
        const auto facts = pipeline::share_facts(run, world);
        CHECK(!facts.models.at({"stored", ""}).failure);
        CHECK(facts.models.at({"stored", ""}).layers.size() == 2);
        CHECK(facts.datasets.at("small").assembly_keys.size() == 1);
    });
}
