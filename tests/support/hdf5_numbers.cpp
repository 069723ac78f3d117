#include "support/hdf5_numbers.hpp"

#include <stdexcept>

#include <hdf5.h>

namespace ventral::test {

std::vector<double> hdf5_numbers(const std::string& path, const std::string& dataset) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t array = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(array);
    const auto count = H5Sget_simple_extent_npoints(space);
    std::vector<double> numbers(count < 0 ? 0 : static_cast<std::size_t>(count));
    const auto status =
        H5Dread(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Sclose(space);
    H5Dclose(array);
    H5Fclose(file);
    if (status < 0) throw std::runtime_error(path + ": '" + dataset + "' cannot be read");
    return numbers;
}

}  // namespace ventral::test
