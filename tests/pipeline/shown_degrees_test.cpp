#include "pipeline/shown_degrees.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/activations_file.hpp"
#include "io/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::degrees_problem;

namespace {

core::StimulusSet shown(const std::vector<std::string>& ids, const std::vector<double>& degrees) {
    core::StimulusSet stimuli;
    stimuli.identifier = "set";
    stimuli.stimulus_ids = ids;
    stimuli.visual_degrees = degrees;
    return stimuli;
}

io::ActivationsFile extracted(const std::string& path, const core::StimulusSet& stimuli) {
    const auto serial = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"conv", {2}}};
    header.stimuli = stimuli;
    io::ActivationsWriter writer(path, *serial, header);
    writer.write_rows(0, 0, std::vector<float>(2 * stimuli.stimulus_ids.size()));
    writer.finish();
    return io::ActivationsFile(path);
}

}  // namespace

TEST_CASE("features go with stimuli of the same degrees, whatever their order and others do") {
    const test::TemporaryFolder folder;
    const auto file = extracted(folder.file("a.h5"), shown({"a", "b", "c"}, {8, 4.5, 2}));
    CHECK(degrees_problem(file, shown({"b", "a"}, {4.5, 8})).empty());
    CHECK(degrees_problem(file, shown({"d", "a"}, {1, 8})).empty());
    CHECK(degrees_problem(file, shown({"d"}, {1})).empty());
}

TEST_CASE("a stimulus of other degrees is a problem that names the file, both widths and the set") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const auto file = extracted(path, shown({"a", "secret", "c"}, {8, 4.5, 2}));
    const auto problem = degrees_problem(file, shown({"c", "secret", "a"}, {2, 8, 8}));
    CHECK_THAT(problem, Catch::StartsWith(path + ": ") && Catch::Contains("shown 4.5 degrees") &&
                            Catch::Contains("'set' shows them 8 degrees") &&
                            Catch::Contains("--degrees 8") && !Catch::Contains("secret"));
}

TEST_CASE("a file that does not say its degrees is let pass") {
    const test::TemporaryFolder folder;
    const auto file = extracted(folder.file("a.h5"), shown({"a"}, {}));
    CHECK(degrees_problem(file, shown({"a"}, {8})).empty());
}

TEST_CASE("only what extract has written is taken for it") {
    const test::TemporaryFolder folder;
    extracted(folder.file("a.h5"), shown({"a"}, {8}));
    CHECK(pipeline::is_extracted(folder.file("a.h5")));
    core::Assembly assembly;
    assembly.dims = {{"presentation", 1}, {"neuroid", 1}};
    assembly.values = std::vector<double>{1};
    io::write_assembly(folder.file("b.nc"), assembly);
    CHECK_FALSE(pipeline::is_extracted(folder.file("b.nc")));
    std::ofstream(folder.file("c.h5")) << "torn";
    CHECK_THROWS_AS(pipeline::is_extracted(folder.file("c.h5")), core::InputError);
}
