#include "io/hdf5/fixed_strings.hpp"

#include <fstream>

#include <catch2/catch.hpp>
#include <hdf5.h>

#include "core/errors.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/netcdf/assembly_group.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

/// Writes two strings of four bytes as h5py writes an array of type 'S4', with a dataset of numbers
/// beside it.
void write_fixed(const std::string& path, H5T_str_t padding, const char (&bytes)[9]) {
    const io::Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                              H5Fclose, path, "create");
    const io::Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path, "copy a type");
    H5Tset_size(type.id(), 4);
    H5Tset_strpad(type.id(), padding);
    const hsize_t count = 2;
    const io::Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, path, "shape");
    const io::Hdf5Handle names(H5Dcreate2(file.id(), "names", type.id(), space.id(), H5P_DEFAULT,
                                          H5P_DEFAULT, H5P_DEFAULT),
                               H5Dclose, path, "create");
    H5Dwrite(names.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
}

}  // namespace

TEST_CASE("strings of fixed length lose their padding, whichever it is") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const std::vector<std::string> expected{"ab", "wxyz"};
    SECTION("zeros") {
        write_fixed(path, H5T_STR_NULLPAD, "ab\0\0wxyz");
        CHECK(io::read_fixed_strings(path, "/").at("names") == expected);
    }
    SECTION("spaces") {
        write_fixed(path, H5T_STR_SPACEPAD, "ab  wxyz");
        CHECK(io::read_fixed_strings(path, "/").at("names") == expected);
    }
}

TEST_CASE("an assembly of strings of fixed length, which crashes netCDF, is read") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_fixed(path, H5T_STR_NULLPAD, "ab\0\0wxyz");
    const auto assembly = io::read_assembly(path);
    CHECK(std::get<std::vector<std::string>>(assembly.values) ==
          std::vector<std::string>{"ab", "wxyz"});
}

TEST_CASE("strings that are not as many as their dimension has entries are refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    write_fixed(path, H5T_STR_NULLPAD, "ab\0\0wxyz");
    const io::NetcdfFile file = io::NetcdfFile::open(path);
    const std::vector<std::string> strings(GENERATE(0U, 1U, 3U), "ab");
    const auto group = io::open_group(file, {}, {{"names", strings}});
    CHECK_THROWS_WITH(io::values_of(group, group.variables.at(0)),
                      Catch::StartsWith(path + ": 'names' has " + std::to_string(strings.size())) &&
                          Catch::Contains("where its dimensions have 2"));
}

TEST_CASE(
    "a file that is not HDF5 and a missing group have no fixed strings, no file is an error") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    CHECK_THROWS_AS(io::read_fixed_strings(folder.file("missing"), "/"), core::InputError);
    write_fixed(path, H5T_STR_NULLPAD, "ab\0\0wxyz");
    CHECK(io::read_fixed_strings(path, "/missing").empty());
    std::ofstream(path) << "not HDF5";
    CHECK(io::read_fixed_strings(path, "/").empty());
}
