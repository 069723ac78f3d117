#include "pipeline/extraction/damaged_images.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "stimuli/demo_images.hpp"
#include "stimuli/write_png.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using Catch::Contains;

namespace {

/// So many images in `folder`.
core::StimulusSet image_files(const std::filesystem::path& folder, std::size_t count) {
    core::StimulusSet stimuli;
    stimuli.identifier = "photos";
    for (std::size_t i = 0; i < count; ++i) {
        stimuli.files.push_back(folder / (std::to_string(i) + ".png"));
        stimuli::write_png(stimuli.files.back(), stimuli::demo_image(i, 0).image);
    }
    return stimuli;
}

}  // namespace

TEST_CASE("images that cannot be decoded are named in their order") {
    const test::TemporaryFolder folder;
    const auto stimuli = image_files(folder.path(), 70);
    pipeline::Progress progress(pipeline::Progress::Shown::no);
    core::Workers workers(3);
    CHECK(pipeline::damaged_images(stimuli, benchmarks::Access::open, workers, progress).empty());

    std::filesystem::resize_file(stimuli.files[66], 200);  // of the second batch
    std::filesystem::remove(stimuli.files[5]);
    const auto reasons =
        pipeline::damaged_images(stimuli, benchmarks::Access::open, workers, progress);
    REQUIRE(reasons.size() == 2);
    CHECK_THAT(reasons[0], Contains(stimuli.files[5]));
    CHECK_THAT(reasons[1], Contains(stimuli.files[66]));

    const auto of_private =
        pipeline::damaged_images(stimuli, benchmarks::Access::restricted, workers, progress);
    REQUIRE(of_private.size() == 2);
    CHECK_THAT(of_private[0], Contains("image 5 of stimulus set 'photos'") && !Contains(".png"));
}
