#include "io/hdf5/hdf5_handle.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a file that the system fails to read is not called damaged") {
    const std::string path = "/proc/self/mem";  // nothing is mapped at its begin
    CHECK_THROWS_AS(io::open_hdf5(path), core::TransientError);
    CHECK_THROWS_WITH(io::open_hdf5(path),
                      path + ": cannot be read (Input/output error) run again");
    CHECK(io::take_passing_error() == 0);
}

TEST_CASE("a file that is no HDF5 file stays wrong") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    std::ofstream(path) << std::string(5000, 'x');
    CHECK_THROWS_WITH(io::open_hdf5(path), Catch::Contains("is not an HDF5 file"));
    try {
        io::open_hdf5(path);
    } catch (const core::InputError& error) {
        CHECK(core::failure_class_of(error) == core::FailureClass::deterministic);
    }
}
