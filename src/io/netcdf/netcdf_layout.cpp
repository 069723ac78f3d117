#include "io/netcdf/netcdf_layout.hpp"

#include <set>

#include <hdf5.h>
#include <hdf5_hl.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "io/hdf5/hdf5_types.hpp"

namespace ventral::io {

Hdf5Handle create_group(const Hdf5Object& file, const std::string& name) {
    const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, file.path,
                              "make a property list");
    check_hdf5(
        H5Pset_link_creation_order(creation.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        file.path, "keep the order of coordinates");
    return {H5Gcreate2(file.id, name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Gclose,
            file.path, "create the group '" + name + "'"};
}

Hdf5Handle create_dimension(const Hdf5Object& group, const std::string& name, std::size_t size) {
    const auto space = make_shape(group.path, {size});
    Hdf5Handle scale(H5Dcreate2(group.id, name.c_str(), H5T_IEEE_F32BE, space.id(), H5P_DEFAULT,
                                H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose, group.path, "create the dimension '" + name + "'");
    const auto digits = std::to_string(size);
    const auto padding = std::string(digits.size() < 10 ? 10 - digits.size() : 0, ' ');
    make_dimension(group.path, scale,
                   "This is a netCDF dimension but not a netCDF variable." + padding + digits);
    return scale;
}

void make_dimension(const std::string& path, const Hdf5Handle& dataset, const std::string& name) {
    check_hdf5(H5DSset_scale(dataset.id(), name.c_str()), path, "make a dimension");
}

void attach_dimension(const std::string& path, const Hdf5Handle& dataset, const Hdf5Handle& scale,
                      unsigned position) {
    check_hdf5(H5DSattach_scale(dataset.id(), scale.id(), position), path, "attach a dimension");
}

bool can_be_stated(const std::string& coordinate) {
    return coordinate.find(' ') == std::string::npos;
}

std::string coordinate_list(const core::Assembly& assembly) {
    std::string names;
    for (const auto& coordinate : assembly.coordinates) {
        if (coordinate.name != coordinate.dim && can_be_stated(coordinate.name))
            core::add_part(names, coordinate.name, " ");
    }
    return names;
}

void require_writable(const std::string& path, const core::Assembly& assembly) {
    core::check_consistent(assembly);
    std::set<std::string> names{assembly.name};
    for (const auto& coordinate : assembly.coordinates) {
        if (names.insert(coordinate.name).second) continue;
        throw core::InputError(path + ": cannot write two variables named '" + coordinate.name +
                               "' (rename the coordinate or the assembly)");
    }
}

}  // namespace ventral::io
