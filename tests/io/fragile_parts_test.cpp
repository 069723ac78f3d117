#include "io/hdf5/fragile_parts.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_writer.hpp"
#include "io/hdf5/survivable.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

const std::vector<std::string> ids{"first stimulus", "second stimulus", "third stimulus"};

std::string written(const std::string& path) {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 3}, {"neuroid", 2}};
    assembly.values = std::vector<double>(6);
    assembly.coordinates = {{"stimulus_id", "presentation", ids}};
    io::write_assembly(path, assembly);
    return path;
}

std::string extracted(const std::string& path) {
    const auto serial = comm::make_serial();
    io::ActivationsHeader header;
    header.layers = {{"conv", {2}}, {"logits", {1}}};
    header.stimuli.stimulus_ids = ids;
    io::ActivationsWriter writer(path, *serial, header);
    writer.write_rows(0, 0, std::vector<float>(6));
    writer.write_rows(1, 0, std::vector<float>(3));
    writer.finish();
    return path;
}

/// Gives the second stimulus id another length, which stands just before the string.
[[maybe_unused]] void damage(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::uint64_t length = 1 << 30;
    for (auto at = bytes.find(ids[1]); at != std::string::npos; at = bytes.find(ids[1], at + 1)) {
        file.seekp(static_cast<std::streamoff>(at - sizeof length));
        file.write(reinterpret_cast<const char*>(&length), sizeof length);
    }
}

}  // namespace

TEST_CASE("what cannot be read of a file is left out, whatever it is") {
    const test::TemporaryFolder folder;
    CHECK_NOTHROW(io::read_fragile_parts(written(folder.file("a.nc"))));
    CHECK_NOTHROW(io::read_fragile_parts(extracted(folder.file("a.h5"))));
    std::ofstream(folder.file("torn.nc")) << "torn";
    CHECK_NOTHROW(io::read_fragile_parts(folder.file("torn.nc")));
    CHECK_NOTHROW(io::read_fragile_parts(folder.file("missing.nc")));
}

// Under the address sanitizer nothing is tried in a child (survivable.cpp).
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("damage that crashes HDF5 crashes the process that reads the fragile parts") {
    const test::TemporaryFolder folder;
    for (const auto& path : {written(folder.file("a.nc")), extracted(folder.file("a.h5"))}) {
        const auto read = [path = path] {
            setenv("PMI_SIZE", "1", 1);  // nothing is tried once more, in a child of the child
            io::read_fragile_parts(path);
        };
        CHECK_NOTHROW(io::require_survivable(path, read));
        damage(path);
        CHECK_THROWS_AS(io::require_survivable(path, read), core::InputError);
    }
}
#endif
