#include "io/fixed_strings.hpp"

#include <catch2/catch.hpp>
#include <hdf5.h>

#include "io/hdf5_handle.hpp"
#include "io/netcdf_assembly.hpp"
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

TEST_CASE("a missing file and a missing group have no fixed strings") {
    const test::TemporaryFolder folder;
    CHECK(io::read_fixed_strings(folder.file("missing"), "/").empty());
}
