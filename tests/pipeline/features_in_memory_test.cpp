#include "pipeline/fit/features_in_memory.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/extraction/extract.hpp"
#include "support/extraction_source.hpp"
#include "support/team.hpp"

using namespace ventral;
using test::Team;

namespace {

std::size_t files_in(const std::string& folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        count += entry.is_regular_file();
    return count;
}

}  // namespace

TEST_CASE(
    "features in memory are those of an activations file, on the first rank, and leave none") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const test::ExtractionSource source(world, folder);
        Team team(world, folder);
        const auto kept = folder + "/kept.h5";
        pipeline::extract({source.model, source.stimuli, {"stage7"}, "key", kept}, team.context);
        world.barrier();
        const auto before = files_in(folder);
        const auto features = pipeline::features_in_memory(
            {source.model, source.stimuli, "stage7", kept}, team.context);
        world.barrier();
        CHECK(files_in(folder) == before);
        if (world.rank() != 0) {
            CHECK(features.dims.empty());
            return;
        }
        const auto expected = io::read_assembly(kept, {{}, "stage7"});
        CHECK(features.values == expected.values);
        CHECK(core::texts(features, "stimulus_id") == source.stimuli.stimulus_ids);
    });
}

TEST_CASE("features in memory that cannot be had leave no file") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        test::ExtractionSource source(world, folder);
        Team team(world, folder);
        source.stimuli.files[9] = folder + "/lost.png";
        const auto before = files_in(folder);
        world.barrier();
        CHECK_THROWS_WITH(
            pipeline::features_in_memory({source.model, source.stimuli, "stage7", folder + "/a.nc"},
                                         team.context),
            Catch::Contains("lost.png"));
        world.barrier();
        CHECK(files_in(folder) == before);
    });
}
