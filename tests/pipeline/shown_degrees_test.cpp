#include "pipeline/inputs/shown_degrees.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_writer.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::degrees_problem;
using pipeline::ShownImages;

namespace {

core::StimulusSet shown(const std::vector<std::string>& ids, const std::vector<double>& degrees) {
    core::StimulusSet stimuli;
    stimuli.identifier = "set";
    stimuli.stimulus_ids = ids;
    stimuli.visual_degrees = degrees;
    return stimuli;
}

std::string extracted(const std::string& path, const core::StimulusSet& stimuli) {
    const auto serial = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"conv", {2}}};
    header.stimuli = stimuli;
    io::ActivationsWriter writer(path, *serial, header);
    writer.write_rows(0, 0, std::vector<float>(2 * stimuli.stimulus_ids.size()));
    writer.finish();
    return path;
}

}  // namespace

TEST_CASE("what was shown is told as the file has it") {
    const test::TemporaryFolder folder;
    const auto path = extracted(folder.file("a.h5"), shown({"a", "b"}, {8, 4.5}));
    const auto images = pipeline::shown_images(path);
    CHECK(images.path == path);
    CHECK(images.stimulus_ids == std::vector<std::string>{"a", "b"});
    CHECK(images.visual_degrees == std::vector<double>{8, 4.5});
    CHECK(pipeline::shown_images(extracted(folder.file("b.h5"), shown({"a"}, {})))
              .visual_degrees.empty());
}

TEST_CASE("features go with stimuli of the same degrees, whatever their order and others do") {
    const ShownImages images{"a.h5", {"a", "b", "c"}, {8, 4.5, 2}};
    CHECK_FALSE(degrees_problem(images, shown({"b", "a"}, {4.5, 8}), 8));
    CHECK_FALSE(degrees_problem(images, shown({"d", "a"}, {1, 8}), 8));
    CHECK_FALSE(degrees_problem(images, shown({"d"}, {1}), 8));
    CHECK_FALSE(degrees_problem({"a.h5", {"a"}, {}}, shown({"a"}, {4}), 8));
}

TEST_CASE("a stimulus of other degrees is a problem, which names what is stated and no more") {
    const auto problem = [](const std::vector<double>& widths, const std::vector<double>& wanted) {
        return degrees_problem({"a.h5", {"a", "secret"}, widths}, shown({"secret", "a"}, wanted), 8)
            .value();
    };
    CHECK(problem({4, 4}, {8, 8}) ==
          "a.h5: was extracted from images that were shown 4 degrees wide (dataset 'set' shows "
          "them 8 degrees wide) extract it again with --degrees 8");
    CHECK(problem({8, 4}, {8, 8}) ==
          "a.h5: was extracted from images that were shown at other widths (dataset 'set' shows "
          "them 8 degrees wide) extract it again with --degrees 8");
    for (const auto& wanted : {std::vector<double>{5, 6}, std::vector<double>{5, 5}})
        CHECK(problem({8, 8}, wanted) ==
              "a.h5: was extracted from images that were shown 8 degrees wide (dataset 'set' has "
              "widths of its own for them in its table) extract it again with that table");
}

TEST_CASE("only what extract has written is taken for it") {
    const test::TemporaryFolder folder;
    CHECK(pipeline::is_extracted(extracted(folder.file("a.h5"), shown({"a"}, {8}))));
    core::Assembly assembly;
    assembly.dims = {{"presentation", 1}, {"neuroid", 1}};
    assembly.values = std::vector<double>{1};
    io::write_assembly(folder.file("b.nc"), assembly);
    CHECK_FALSE(pipeline::is_extracted(folder.file("b.nc")));
    std::ofstream(folder.file("c.h5")) << "torn";
    CHECK_THROWS_AS(pipeline::is_extracted(folder.file("c.h5")), core::InputError);
}
